"""A folder that somebody else packed: whatever can be set in it asks for a program or an address."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

_RUNS: Final = (
    *("BROWSER", "EDITOR", "VISUAL", "PAGER", "MANPAGER", "SHELL_COMMAND", "PROMPT_COMMAND"),
    *("GIT_SSH", "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_ASKPASS", "SSH_ASKPASS"),
    *("LESSOPEN", "PYTHONSTARTUP", "PYTHONBREAKPOINT", "BASH_ENV", "ENV", "LD_PRELOAD", "LD_AUDIT"),
    *("JAVA_HOME", "PANDOC", "PYPANDOC_PANDOC", "TYPST", "CHROME_PATH", "DYLD_INSERT_LIBRARIES"),
    "LIBRISCRIBE2_RESEARCH__MCP__EVIL__COMMAND",
)
"""Variables that name a program or a library."""

_FOLDERS: Final = (
    *("PYTHONHOME", "PYTHONUSERBASE", "PYTHONPYCACHEPREFIX", "LD_LIBRARY_PATH", "GCONV_PATH"),
    *("GIT_EXEC_PATH", "GIT_DIR", "OPENSSL_MODULES", "OPENSSL_ENGINES", "SSL_CERT_DIR"),
    *("TYPST_FONT_PATHS", "TYPST_PACKAGE_PATH", "TYPST_ROOT", "XDG_DATA_HOME", "HF_HOME"),
    *("LIBRISCRIBE2_PROJECTS_DIR", "PROJECTS_DIR", "LIBRISCRIBE2_DEBUG_DIR"),
    *("LIBRISCRIBE2_BATCHES_DIR", "LIBRISCRIBE2_BATCH__SPOOL", "TIKTOKEN_CACHE_DIR"),
)
"""Variables that name a place."""

_FILES: Final = (
    *("OPENSSL_CONF", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSLKEYLOGFILE"),
    *("GIT_CONFIG_GLOBAL", "GOOGLE_APPLICATION_CREDENTIALS", "AWS_CONFIG_FILE", "LD_DEBUG_OUTPUT"),
    *("AWS_SHARED_CREDENTIALS_FILE", "AZURE_FEDERATED_TOKEN_FILE", "KUBECONFIG"),
)
"""Variables that name a file to read or to write."""

_ADDRESSES: Final = (
    *("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "OTEL_EXPORTER_OTLP_ENDPOINT"),
    *("OPENAI_BASE_URL", "OPENAI_API_BASE", "ANTHROPIC_API_BASE", "ANTHROPIC_BASE_URL"),
    *("AZURE_API_BASE", "OLLAMA_API_BASE", "LM_STUDIO_API_BASE", "LITELLM_PROXY_API_BASE"),
    *("LIBRISCRIBE2_LLM__BASE_URL", "HF_ENDPOINT", "AWS_ENDPOINT_URL", "LANGFUSE_HOST"),
    "LIBRISCRIBE2_BATCH__DSN",
)
"""Variables that name a server."""

_OTHERS: Final = {
    "SSL_VERIFY": "False",
    "PYTHONINSPECT": "1",
    "PYTHONWARNINGS": "error::evil.Warning",
    "PYTHONHTTPSVERIFY": "0",
    "LD_DEBUG": "statistics",
    "JAVA_TOOL_OPTIONS": "-agentpath:./canary",
    "_JAVA_OPTIONS": "-agentpath:./canary",
    "NODE_OPTIONS": "--require ./canary",
    "PERL5OPT": "-Mcanary",
    "RUBYOPT": "-rcanary",
    "AWS_REGION_NAME": "evil.example/",
    "VERTEXAI_LOCATION": "evil.example/#",
    "AZURE_AD_TOKEN": "oidc/file//etc/passwd",
    "GROQ_API_KEY": "${{OPENAI_API_KEY}}",
    "LIBRISCRIBE2_MODELS__DEFAULT": "oobabooga/{root}",
    "OPENAI_DEFAULT_MODEL": "huggingface/{root}",
    "LIBRISCRIBE2_RESEARCH__SEARCH_URL": "{root}/?q={{query}}",
    "LIBRISCRIBE2_BATCH__JOURNAL": "database",
}

MODULES: Final = ("json", "typing", "sitecustomize", "usercustomize", "webbrowser", "typst", "evil")
"""Modules of Python and of others that would be found in the folder first."""


def variables(folder: Path, root: str) -> dict[str, str]:
    """What the `.env` says.

    Args:
        folder: The folder, in which `canary` is a program.
        root: The address of a server that nobody is to ask.
    """
    return {
        **dict.fromkeys(_RUNS, str(folder / "canary")),
        **dict.fromkeys(_FOLDERS, str(folder / "ran-elsewhere")),
        **dict.fromkeys(_FILES, str(folder / "ran-file")),
        **dict.fromkeys(_ADDRESSES, f"{root}/v1"),
        **{name: text.format(root=root) for name, text in _OTHERS.items()},
    }


def pack(folder: Path, root: str) -> dict[str, str]:
    """Put a `.env`, a program and modules into a folder that leave a file `ran-...` if they run."""
    given = variables(folder, root)
    lines = "".join(f"{name}='{value}'\n" for name, value in given.items())
    (folder / ".env").write_text(lines, encoding="utf-8")
    canary = folder / "canary"
    canary.write_text(f"#!/bin/sh\necho ran > {folder}/ran-program\n", encoding="utf-8")
    canary.chmod(0o700)
    for name in MODULES:
        left = folder / f"ran-{name}"
        code = f"open({str(left)!r}, 'w').close()\n"
        (folder / f"{name}.py").write_text(code, encoding="utf-8")
    return given


def left_in(folder: Path) -> Iterator[str]:
    """What ran or was written where only the folder wanted it."""
    return (path.name for path in folder.iterdir() if path.name.startswith("ran-"))
