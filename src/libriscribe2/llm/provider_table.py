"""The table of who serves models: variables that hold keys, and a model to begin with.

Names and variables are those that LiteLLM reads; a test has it send each key. Default models are
names that LiteLLM's bundled price map knows (a test holds that), chosen as the provider's balanced
model for long prose.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Provider:
    """One service that answers.

    Attributes:
        prefix: The first part of its models' names, as LiteLLM spells it.
        title: What people call it.
        keys: Variables that may hold the key; one of them is enough.
        default_model: A model to begin with; None where only the account's owner can know, or
            where people have the key for other things.
        also: Further variables, all of which are needed.
        has_batches: Whether it takes many calls in one file, in OpenAI's form, through LiteLLM.
        other_ways: Whether it can be asked without these keys, so that LiteLLM alone knows what
            is missing.
    """

    prefix: str
    title: str
    keys: tuple[str, ...]
    default_model: str | None = None
    also: tuple[str, ...] = ()
    has_batches: bool = False
    other_ways: bool = False


WELL_KNOWN = (
    Provider("openai", "OpenAI", ("OPENAI_API_KEY",), "openai/gpt-5.4-mini", has_batches=True),
    Provider(
        "anthropic",
        "Anthropic",
        ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
        "anthropic/claude-sonnet-5",
    ),
    Provider(
        "gemini",
        "Google Gemini",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        "gemini/gemini-flash-latest",
    ),
    Provider("mistral", "Mistral", ("MISTRAL_API_KEY",), "mistral/mistral-large-latest"),
    Provider("deepseek", "DeepSeek", ("DEEPSEEK_API_KEY",), "deepseek/deepseek-v4-pro"),
    Provider("groq", "Groq", ("GROQ_API_KEY",), "groq/openai/gpt-oss-120b"),
    Provider("xai", "xAI", ("XAI_API_KEY",), "xai/grok-4.3"),
    Provider(
        "openrouter",
        "OpenRouter",
        ("OPENROUTER_API_KEY", "OR_API_KEY"),
        "openrouter/anthropic/claude-sonnet-5",
    ),
    Provider(
        "together_ai",
        "Together AI",
        ("TOGETHERAI_API_KEY", "TOGETHER_API_KEY", "TOGETHER_AI_API_KEY", "TOGETHER_AI_TOKEN"),
        "together_ai/zai-org/GLM-5.3",
    ),
    Provider(
        "cohere_chat", "Cohere", ("COHERE_API_KEY", "CO_API_KEY"), "cohere_chat/command-a-03-2025"
    ),
    Provider("moonshot", "Moonshot AI", ("MOONSHOT_API_KEY",), "moonshot/kimi-k2.6"),
    Provider("cerebras", "Cerebras", ("CEREBRAS_API_KEY",), "cerebras/gpt-oss-120b"),
    Provider(
        "fireworks_ai",
        "Fireworks AI",
        (
            "FIREWORKS_AI_API_KEY",
            "FIREWORKS_API_KEY",
            "FIREWORKSAI_API_KEY",
            "FIREWORKS_AI_TOKEN",
        ),
        "fireworks_ai/accounts/fireworks/models/glm-5p3",
    ),
    Provider(
        "perplexity",
        "Perplexity",
        ("PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY"),
        "perplexity/sonar-pro",
    ),
    Provider("deepinfra", "DeepInfra", ("DEEPINFRA_API_KEY",), "deepinfra/zai-org/GLM-5.2"),
    Provider("nebius", "Nebius", ("NEBIUS_API_KEY",), "nebius/zai-org/GLM-5.3"),
    Provider("novita", "Novita AI", ("NOVITA_API_KEY",), "novita/deepseek/deepseek-v4-pro"),
    Provider(
        "hyperbolic",
        "Hyperbolic",
        ("HYPERBOLIC_API_KEY",),
        "hyperbolic/deepseek-ai/DeepSeek-V3-0324",
    ),
    Provider("zai", "Z.ai", ("ZAI_API_KEY",), "zai/glm-5.3"),
    Provider(
        "dashscope", "Alibaba DashScope", ("DASHSCOPE_API_KEY",), "dashscope/qwen-plus-latest"
    ),
    Provider("minimax", "MiniMax", ("MINIMAX_API_KEY",), "minimax/MiniMax-M3"),
    Provider("ai21", "AI21", ("AI21_API_KEY",), "ai21/jamba-large-1.7"),
    Provider(
        "vercel_ai_gateway",
        "Vercel AI Gateway",
        ("VERCEL_AI_GATEWAY_API_KEY", "VERCEL_OIDC_TOKEN"),
        "vercel_ai_gateway/anthropic/claude-sonnet-4.5",
    ),
    Provider(
        "replicate",
        "Replicate",
        ("REPLICATE_API_KEY", "REPLICATE_API_TOKEN"),
        "replicate/anthropic/claude-4.5-sonnet",
    ),
    Provider("sambanova", "SambaNova", ("SAMBANOVA_API_KEY",)),
    Provider("github", "GitHub Models", ("GITHUB_API_KEY",)),
    Provider("huggingface", "Hugging Face", ("HF_TOKEN", "HUGGINGFACE_API_KEY")),
    Provider("nvidia_nim", "NVIDIA NIM", ("NVIDIA_NIM_API_KEY",)),
    Provider("codestral", "Codestral", ("CODESTRAL_API_KEY",)),
    Provider(
        "azure",
        "Azure OpenAI",
        ("AZURE_API_KEY", "AZURE_OPENAI_API_KEY", "AZURE_AD_TOKEN"),
        also=("AZURE_API_BASE", "AZURE_API_VERSION"),
        has_batches=True,
    ),
    Provider("azure_ai", "Azure AI Foundry", ("AZURE_AI_API_KEY",), other_ways=True),
    Provider("cloudflare", "Cloudflare", ("CLOUDFLARE_API_KEY",), other_ways=True),
    Provider("databricks", "Databricks", ("DATABRICKS_API_KEY",), other_ways=True),
    Provider(
        "watsonx",
        "IBM watsonx",
        ("WATSONX_API_KEY", "WATSONX_APIKEY", "WX_API_KEY"),
        other_ways=True,
    ),
)
"""Their prefixes are a provider's beside a server of one's own, too."""

_FURTHER = (
    Provider(
        "friendliai",
        "Friendli",
        ("FRIENDLIAI_API_KEY", "FRIENDLI_TOKEN"),
        "friendliai/zai-org/GLM-5.3",
    ),
    Provider("baseten", "Baseten", ("BASETEN_API_KEY",), "baseten/zai-org/GLM-5.3"),
    Provider("wandb", "W&B Inference", ("WANDB_API_KEY",)),
    Provider("tencent", "Tencent", ("TENCENT_API_KEY",), "tencent/glm-5.3"),
    Provider("xiaomi_mimo", "Xiaomi MiMo", ("XIAOMI_MIMO_API_KEY",), "xiaomi_mimo/mimo-v2.6-pro"),
    Provider("aihubmix", "AIHubMix", ("AIHUBMIX_API_KEY",), "aihubmix/glm-5.3"),
    Provider("meta", "Meta", ("META_API_KEY",), "meta/muse-spark-1.3"),
    Provider("scaleway", "Scaleway", ("SCW_SECRET_KEY",)),
    Provider("inception", "Inception", ("INCEPTION_API_KEY",)),
    Provider("v0", "v0", ("V0_API_KEY",)),
    Provider("lambda_ai", "Lambda", ("LAMBDA_API_KEY",)),
    Provider("featherless_ai", "Featherless AI", ("FEATHERLESS_AI_API_KEY", "FEATHERLESS_API_KEY")),
    Provider("nscale", "Nscale", ("NSCALE_API_KEY",)),
    Provider("volcengine", "Volcengine", ("VOLCENGINE_API_KEY",)),
    Provider("meta_llama", "Llama API", ("LLAMA_API_KEY",)),
    Provider("ovhcloud", "OVHcloud", ("OVHCLOUD_API_KEY",)),
    Provider("heroku", "Heroku", ("HEROKU_API_KEY",)),
    Provider("morph", "Morph", ("MORPH_API_KEY",)),
    Provider("aiml", "AI/ML API", ("AIML_API_KEY",)),
    Provider("modelscope", "ModelScope", ("MODELSCOPE_API_KEY",)),
    Provider("cometapi", "CometAPI", ("COMETAPI_KEY",)),
    Provider("clarifai", "Clarifai", ("CLARIFAI_API_KEY",)),
    Provider("edenai", "Eden AI", ("EDENAI_API_KEY",)),
    Provider("maritalk", "Maritaca AI", ("MARITALK_API_KEY",)),
    Provider("nlp_cloud", "NLP Cloud", ("NLP_CLOUD_API_KEY",)),
    Provider("compactifai", "CompactifAI", ("COMPACTIFAI_API_KEY",)),
    Provider("amazon_nova", "Amazon Nova", ("AMAZON_NOVA_API_KEY",)),
    Provider("bytez", "Bytez", ("BYTEZ_API_KEY",)),
    Provider("empower", "Empower", ("EMPOWER_API_KEY",)),
    Provider("galadriel", "Galadriel", ("GALADRIEL_API_KEY",)),
    Provider("nadir", "Nadir", ("NADIR_API_KEY",)),
    Provider("publicai", "Public AI", ("PUBLICAI_API_KEY",)),
    Provider("helicone", "Helicone", ("HELICONE_API_KEY",)),
    Provider("veniceai", "Venice AI", ("VENICE_AI_API_KEY",)),
    Provider("synthetic", "Synthetic", ("SYNTHETIC_API_KEY",)),
    Provider("apertis", "Apertis", ("STIMA_API_KEY",)),
    Provider("nano-gpt", "NanoGPT", ("NANOGPT_API_KEY",)),
    Provider("poe", "Poe", ("POE_API_KEY",)),
    Provider("chutes", "Chutes", ("CHUTES_API_KEY",)),
    Provider("abliteration", "Abliteration", ("ABLITERATION_API_KEY",)),
    Provider("llamagate", "LlamaGate", ("LLAMAGATE_API_KEY",)),
    Provider("gmi", "GMI Cloud", ("GMI_API_KEY",)),
    Provider("sarvam", "Sarvam", ("SARVAM_API_KEY",)),
    Provider("assemblyai", "AssemblyAI", ("ASSEMBLYAI_API_KEY",)),
    Provider("charity_engine", "Charity Engine", ("CHARITY_ENGINE_API_KEY",)),
    Provider("crusoe", "Crusoe", ("CRUSOE_API_KEY",)),
    Provider("darkbloom", "Darkbloom", ("DARKBLOOM_API_KEY",)),
    Provider("neosantara", "Neosantara", ("NEOSANTARA_API_KEY",)),
    Provider("tensormesh", "Tensormesh", ("TENSORMESH_INFERENCE_API_KEY",)),
    Provider("parasail", "Parasail", ("PARASAIL_API_KEY",)),
    Provider("libertai", "LibertAI", ("LIBERTAI_API_KEY",)),
    Provider("empiriolabs", "EmpirioLabs", ("EMPIRIOLABS_API_KEY",)),
    Provider("cognition", "Cognition", ("COGNITION_API_KEY",)),
    Provider("cortecs", "Cortecs", ("CORTECS_API_KEY",)),
    Provider("pinstripes", "Pinstripes", ("PINSTRIPES_API_KEY",)),
    Provider("scx-ai", "SCX", ("SCX_API_KEY",)),
    Provider("prism", "Prism", ("PRISM_API_KEY",)),
    Provider("sail", "Sail", ("SAIL_API_KEY",)),
    Provider("reka", "Reka", ("REKA_API_KEY",)),
    Provider("datarobot", "DataRobot", ("DATAROBOT_API_TOKEN",), other_ways=True),
    Provider("gigachat", "GigaChat", ("GIGACHAT_API_KEY",), other_ways=True),
    Provider("qwencloud", "QwenCloud", ("QWENCLOUD_API_KEY",), other_ways=True),
    Provider("qwen_ai_platform", "Qwen AI", ("QWEN_AI_PLATFORM_API_KEY",), other_ways=True),
)

PROVIDERS = (*WELL_KNOWN, *_FURTHER)
"""In the order in which a default is looked for."""
