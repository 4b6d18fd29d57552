"""The bugs that `make mutants` plants, each with the bar that must notice it."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Mutant:
    """A planted bug.

    Attributes:
        name: What is broken.
        bar: Beginning of the name of the script that must notice.
        file: The broken file, below `src/libriscribe2`.
        old: Text that stands there exactly once.
        new: What stands there instead.
        options: Further words for pytest.
    """

    name: str
    bar: str
    file: str
    old: str
    new: str
    options: tuple[str, ...] = ()


_SOAK: Final = ("-m", "soak", "-k", "0]")
_SLOW: Final = ("-m", "slow and not soak")
_POSTGRES: Final = ("-m", "postgres and not soak")
_FOLDER: Final = ("-m", "slow or not slow", "-k", "bar_27_01 or bar_27_03 or bar_27_04")

MUTANTS: Final = (
    # The six of the random histories.
    Mutant(
        "an edited file counts as ours",
        "test_bar_11",
        "project/project_view.py",
        'is_ours(name, sha):\n            return ArtifactState("edited")',
        'is_ours(name, sha):\n            return ArtifactState("old")',
    ),
    Mutant(
        "an older text that is put back counts as left by a crash",
        "test_bar_11",
        "project/project_view.py",
        '"edited" if last.placed else "old"',
        '"old"',
    ),
    Mutant(
        "a reply is remembered and not stored",
        "test_bar_11",
        "project/store.py",
        "            self.add(line)\n",
        "            self._manifest.fold(line)\n",
    ),
    Mutant(
        "a write is announced after the replacement",
        "test_bar_11",
        "project/store.py",
        "        self.call_log.add(said)\n"
        "        if present != sha:\n"
        "            self._place(name, data, there)\n",
        "        if present != sha:\n"
        "            self._place(name, data, there)\n"
        "        self.call_log.add(said)\n",
    ),
    Mutant(
        "files are written in their place",
        "test_bar_11",
        "project/atomic.py",
        'temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")',
        "temporary = path",
    ),
    Mutant(
        "a torn line is not cut off",
        "test_bar_11",
        "project/journal.py",
        "if self._length < len(data):",
        "if self._length < 0:",
    ),
    # One for each of the others.
    Mutant(
        "a reply is remembered and not stored",
        "test_bar_01",
        "project/store.py",
        "            self.add(line)\n",
        "            self._manifest.fold(line)\n",
        _SOAK,
    ),
    Mutant(
        "replies in the journal are not found",
        "test_bar_02",
        "project/store.py",
        "return self._manifest.reply(key)",
        "return None",
    ),
    Mutant(
        "no file is synced",
        "test_bar_03",
        "project/journal.py",
        "        if durable:\n            self._ops.fsync(self._descriptor)\n",
        "",
    ),
    Mutant(
        "no folder is synced",
        "test_bar_03",
        "project/atomic.py",
        'if os.name != "posix":\n        return\n    descriptor',
        "if folder:\n        return\n    descriptor",
    ),
    Mutant(
        "checksums are not looked at",
        "test_bar_04",
        "project/records.py",
        'if checksum != b"%08x" % zlib.crc32(body):',
        "if not checksum:",
    ),
    Mutant(
        "errors of the system are not translated",
        "test_bar_05",
        "project/atomic.py",
        "    except OSError as error:\n        raise storage_error",
        "    except BlockingIOError as error:\n        raise storage_error",
        _SOAK,
    ),
    Mutant(
        "a reply that finds no room is dropped",
        "test_bar_06",
        "project/store.py",
        "raise self._rescued(key, record, error) from error",
        "raise error from error",
        _SLOW,
    ),
    Mutant(
        "a folder that may not be looked into is our bug",
        "test_bar_07_rights",
        "project/paths.py",
        "except OSError:  # opening it says so",
        "except (FileNotFoundError, NotADirectoryError):  # opening it says so",
    ),
    Mutant(
        "SIGTERM is not heard",
        "test_bar_08",
        "cli/process.py",
        "numbers = (signal.SIGINT, signal.SIGTERM)",
        "numbers = (signal.SIGINT,)",
    ),
    Mutant(
        "the lock is not taken",
        "test_bar_09",
        "project/lock.py",
        "held._lock.acquire()",
        "pass",
    ),
    Mutant(
        "line ends count",
        "test_bar_10",
        "project/texts.py",
        'plain = text.replace("\\r\\n", "\\n")',
        "plain = text",
    ),
    Mutant(
        "keys that stand twice are taken",
        "test_bar_12",
        "project/texts.py",
        "object_pairs_hook=_pairs, ",
        "",
    ),
    Mutant(
        "the time is part of a request's key",
        "test_bar_13",
        "llm/backend.py",
        "for name in _IDENTITY}\n",
        "for name in _IDENTITY}\n"
        "            from libriscribe2.project.texts import utc_now\n"
        "            said['at'] = utc_now().year\n",
    ),
    Mutant(
        "a random value is part of a request's key",
        "test_bar_14",
        "llm/backend.py",
        "for name in _IDENTITY}\n",
        "for name in _IDENTITY}\n            said['at'] = id(self)\n",
        _SLOW,
    ),
    Mutant(
        "Retry-After is not obeyed",
        "test_bar_15",
        "llm/limits/retries.py",
        "asked = error.retry_after if error.retry_after is not None else 0.0",
        "asked = 0.0",
    ),
    Mutant(
        "a reply that trickles may take for ever",
        "test_bar_16",
        "llm/limits/retries.py",
        "end = started + limits.whole_call\n",
        "end = started + 1e9\n",
    ),
    Mutant(
        "what came while the process stood still is given up",
        "test_bar_16",
        "llm/limits/retries.py",
        "if now >= self.deadline and (self.deadline != self.granted or late > _STOOD_STILL):",
        "if now < 0:",
        _SLOW,
    ),
    Mutant(
        "the finish reason is ignored",
        "test_bar_17",
        "llm/backends/responses.py",
        'raise BackendError("cut", "the stream ended without saying why")',
        'return "stop"',
    ),
    Mutant(
        "a reply may be of any size",
        "test_bar_18",
        "llm/response_size.py",
        "if size > most:",
        "if size < 0:",
    ),
    Mutant(
        "nobody takes over from the dead",
        "test_bar_19_chaos",
        "batch/postgres/exchange.py",
        "(self._tickets(_HELD) if own_only else self._tickets(_LEFT))",
        "self._tickets(_HELD)",
        _POSTGRES,
    ),
    Mutant(
        "records go to the folder alone",
        "test_bar_19_other_machine",
        "project/journal.py",
        "self._mirror.add([line[:-1] for line in lines])",
        "pass",
        _POSTGRES,
    ),
    Mutant(
        "the lock in the database is not taken",
        "test_bar_20",
        "batch/postgres/book_journal.py",
        'if row["taken"]:',
        "if row is not None:",
        _POSTGRES,
    ),
    Mutant(
        "the lock in the database is not looked at before a call",
        "test_bar_20",
        "commands/workers.py",
        "        claim.check()\n",
        "",
        _POSTGRES,
    ),
    Mutant(
        "a worker ends when the database does not answer",
        "test_bar_21",
        "batch/postgres/worker.py",
        "except DatabaseLostError as error:",
        "except ZeroDivisionError as error:",
        _POSTGRES,
    ),
    Mutant(
        "each process has limits of its own",
        "test_bar_22",
        "batch/postgres/database.py",
        "values = (account, limits.requests,",
        "values = (f\"{account} {__import__('os').getpid()}\", limits.requests,",
        _POSTGRES,
    ),
    Mutant(
        "what a machine lacks counts against its books",
        "test_bar_28",
        "batch/work.py",
        'if how.cause != "book":',
        'if how.cause == "operator":',
        (*_POSTGRES, "-k", "key"),
    ),
    Mutant(
        "the session of a worker that is gone is left alone",
        "test_bar_28",
        "batch/postgres/exchange.py",
        "self._rows(_END_HOLDERS, key=key_of(ticket.batch, ticket.book))",
        "pass",
        (*_POSTGRES, "-k", "cut_off"),
    ),
    Mutant(
        "money is spread over all books that wait",
        "test_bar_28",
        "batch/grants.py",
        '    if funding == "even":\n        share',
        "    if funding:\n        share",
        (*_POSTGRES, "-k", "cap_for_three"),
    ),
    Mutant(
        "a worker whose machine is at fault goes on",
        "test_bar_28",
        "batch/work.py",
        "if self._faults >= _MOST_FAULTS:",
        "if self._faults < 0:",
        (*_POSTGRES, "-k", "wrong_key"),
    ),
    Mutant(
        "lines of a journal go to the folder alone",
        "test_bar_28",
        "commands/workers.py",
        "return Machine(mirror=DatabaseJournal(claim, paths)) if beside else Machine()",
        "return Machine()",
        (*_POSTGRES, "-k", "unit_file"),
    ),
    Mutant(
        "a stop drops the calls under way",
        "test_bar_28",
        "cli/run_output.py",
        "Stop(seconds, engine.stop) if seconds",
        "Stop() if seconds",
        (*_POSTGRES, "-k", "stops_in_a_row"),
    ),
    Mutant(
        "rows do not say which version they need",
        "test_bar_28",
        "batch/rows.py",
        "payload: int = PAYLOAD",
        "payload: int = 1",
        (*_POSTGRES, "-k", "updated_twice"),
    ),
    Mutant(
        "nothing is held back for requests under way",
        "test_bar_23",
        "llm/limits/budget.py",
        "if self._fits(self._spent + self._held + fitting.usd):",
        "if self._fits(self._spent + fitting.usd):",
    ),
    Mutant(
        "each record leaves a descriptor open",
        "test_bar_25",
        "project/journal.py",
        "        if durable:\n            self._ops.fsync(self._descriptor)\n",
        "        self._ops.fsync(os.dup(self._descriptor))\n",
        ("-m", "soak", "-k", "ten_thousand"),
    ),
    # Those of the threats.
    Mutant(
        "every page may be fetched",
        "test_bar_24_web",
        "research/web/engines.py",
        "if not self.is_allowed(url):",
        "if not url:",
    ),
    Mutant(
        "every network address is public",
        "test_bar_24_web",
        "research/web/addresses.py",
        "return is_public(address) and port in _WEB_PORTS",
        "return port in _WEB_PORTS",
    ),
    Mutant(
        "links are followed out of a project",
        "test_bar_24_files",
        "project/paths.py",
        "if any(map(_is_link, way)) and not _is_inside(Path(way[-1]), self.root):",
        "if not way:",
    ),
    Mutant(
        "text for a terminal is not cleaned",
        "test_bar_24_terminal",
        "wording.py",
        '_UNSAFE.sub("", text)',
        "text",
    ),
    Mutant(
        "a chapter's own HTML goes into an EPUB",
        "test_bar_24_pages",
        "exporters/web_text.py",
        "        body = self._renderer.render(tokens, self._markdown.options, env)\n"
        "        # A character reference may have brought in what the prepass took out.\n"
        "        return harmless(_safe(body + self._notes(env)))\n",
        "        body = RendererHTML().render(tokens, self._markdown.options, env)\n"
        "        return harmless(body + self._notes(env))\n",
    ),
    Mutant(
        "the review server answers to every name",
        "test_bar_24_pages",
        "desk/server.py",
        'if headers.get("host", "") not in self._hosts:',
        'if not headers.get("host", ""):',
    ),
    Mutant(
        "keys in errors are not masked",
        "test_bar_24_secrets",
        "llm/failures.py",
        "        redact(said.message, secrets)[:MESSAGE_LIMIT],\n",
        "        said.message[:MESSAGE_LIMIT],\n",
    ),
    Mutant(
        "nothing is held back for requests under way",
        "test_bar_24_limits",
        "llm/limits/budget.py",
        "if self._fits(self._spent + self._held + fitting.usd):",
        "if self._fits(self._spent + fitting.usd):",
    ),
    Mutant(
        "a filled prompt is filled in again",
        "test_bar_24_templates",
        "prompts/loader.py",
        "Template(user).substitute(values).strip())",
        "Template(user).substitute(values).format(**values))",
    ),
    Mutant(
        "nobody looks whether another file lies in the journal's place",
        "test_bar_26_travelling",
        "project/journal.py",
        "            if self._is_there():\n",
        "            if not others:\n",
    ),
    Mutant(
        "a file in the journal's place that is as long counts as the journal",
        "test_bar_26_travelling",
        "project/journal.py",
        "if not os.path.samestat(there, here) or there.st_size != self._length:",
        "if there.st_size != self._length:",
    ),
    Mutant(
        "what others have spent meanwhile is not counted",
        "test_bar_26_travelling",
        "llm/limits/budget.py",
        "            self._count_others()\n",
        "",
    ),
    Mutant(
        "a line end of Windows damages a record",
        "test_bar_26_travelling",
        "project/records.py",
        'line.removesuffix(b"\\r")',
        "line",
    ),
    Mutant(
        "a record of another shape is believed",
        "test_bar_26_travelling",
        "project/records.py",
        "if record is None or not fits(record):",
        "if record is None:",
    ),
    Mutant(
        "what is lost is forgotten by the next record",
        "test_bar_26_travelling",
        "project/records.py",
        "    tips |= {crc: number for crc, number in newest.items() if crc not in numbers}\n",
        "",
    ),
    Mutant(
        "whatever stands in a .env is exported",
        "test_bar_27_folder",
        "settings/trust.py",
        'if trust == "yes":',
        "if trust:",
        _FOLDER,
    ),
    Mutant(
        "an address of a folder takes the user's key",
        "test_bar_27_folder",
        "settings/trust.py",
        "return value is not None and environ.get(name, value).strip() == value.strip()",
        "return name is not None",
        _FOLDER,
    ),
    Mutant(
        "a book may name a model by its address",
        "test_bar_27_folder",
        "settings/loading.py",
        "if ANY_ADDRESS.search(str(given.value)):",
        "if ANY_ADDRESS.search(given.origin):",
        _FOLDER,
    ),
    Mutant(
        "nobody looks whether another file lies in the journal's place",
        "test_bar_26_travel_",
        "project/journal.py",
        "            if self._is_there():\n",
        "            if not others:\n",
        _SLOW,
    ),
    Mutant(
        "what earlier runs have asked does not count for the cap",
        "test_bar_26_travel_",
        "llm/limits/budget.py",
        "earlier = before if before is not None else Spent()",
        "earlier = Spent()",
        _SLOW,
    ),
    Mutant(
        "what came while the process stood still is given up",
        "test_bar_26_travel_",
        "llm/limits/retries.py",
        "if now >= self.deadline and (self.deadline != self.granted or late > _STOOD_STILL):",
        "if now < 0:",
        _SLOW,
    ),
    Mutant(
        "a line end of Windows damages a record",
        "test_bar_26_travel_",
        "project/records.py",
        'line.removesuffix(b"\\r")',
        "line",
        _SLOW,
    ),
    Mutant(
        "an EPUB's page is read as often as it is named",
        "test_bar_27_import",
        "documents/epub_reader.py",
        "dict.fromkeys(_place(folder, one) for one in pages)",
        "[_place(folder, one) for one in pages]",
        ("-m", "slow", "-k", "hostile_files"),
    ),
)
