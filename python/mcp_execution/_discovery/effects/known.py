"""Calls by name: those that run a program, those that do something milder, those that set a module up."""

#: Names of functions whose call at the top level is the program itself.
PROGRAM = frozenset(
    {
        "main",
        "_main",
        "__main__",
        "amain",
        "async_main",
        "main_async",
        "cli",
        "run_main",
        "cli_main",
        "run_cli",
        "entry_point",
        "entrypoint",
    }
)
#: Methods that run until the program is over, whatever object they are called on.
RUNS = {
    "mainloop": "runs an event loop",
    "serve_forever": "serves forever",
    "run_forever": "runs forever",
    "run_until_complete": "runs an event loop",
    "run_polling": "polls forever",
    "start_polling": "polls forever",
    "infinity_polling": "polls forever",
    "polling": "polls forever",
    "parse_args": "reads the command line",
    "parse_known_args": "reads the command line",
    "start_server": "serves forever",
    "write_text": "writes a file",
    "write_bytes": "writes a file",
    "to_csv": "writes a file",
    "to_excel": "writes a file",
    "to_parquet": "writes a file",
    "to_sql": "writes to a database",
    "savefig": "writes a file",
    "rmtree": "removes files",
    "unlink": "removes files",
    "sendmail": "sends mail",
    "send_message": "sends messages",
}
WORK = {
    "sys.exit": "ends the process",
    "builtins.exit": "ends the process",
    "builtins.quit": "ends the process",
    "os._exit": "ends the process",
    "os.abort": "ends the process",
    "builtins.input": "asks for input",
    "getpass.getpass": "asks for input",
    "asyncio.run": "runs an event loop",
    "trio.run": "runs an event loop",
    "anyio.run": "runs an event loop",
    "uvicorn.run": "serves forever",
    "unittest.main": "runs tests",
    "doctest.testmod": "runs tests",
    "pytest.main": "runs tests",
    "fire.Fire": "reads the command line",
    "typer.run": "reads the command line",
    "docopt.docopt": "reads the command line",
    "absl.app.run": "reads the command line",
    "setuptools.setup": "builds a package",
    "distutils.core.setup": "builds a package",
    "os.system": "runs a command",
    "subprocess.run": "runs a command",
    "subprocess.call": "runs a command",
    "subprocess.check_call": "runs a command",
    "subprocess.Popen": "runs a command",
    "os.remove": "removes files",
    "os.unlink": "removes files",
    "os.rename": "renames files",
    "os.replace": "renames files",
    "os.rmdir": "removes folders",
    "os.removedirs": "removes folders",
    "shutil.rmtree": "removes files",
    "shutil.move": "moves files",
    "shutil.copy": "copies files",
    "shutil.copyfile": "copies files",
    "shutil.copy2": "copies files",
    "shutil.copytree": "copies files",
    "time.sleep": "waits",
}
#: What is no harm to the functions, but must not happen ahead of a call.
MILD = {
    "builtins.print": "prints",
    "builtins.open": "opens a file",
    "io.open": "opens a file",
    "builtins.exec": "runs code that is made as it runs",
    "builtins.eval": "runs code that is made as it runs",
    "sqlite3.connect": "opens a database",
    "socket.socket": "opens a socket",
    "socket.create_connection": "opens a socket",
    "urllib.request.urlopen": "reads from the network",
    "urllib.request.urlretrieve": "reads from the network",
    "subprocess.check_output": "runs a command",
    "subprocess.getoutput": "runs a command",
    "subprocess.run": "runs a command",
    "subprocess.Popen": "runs a command",
    "multiprocessing.Pool": "starts processes",
    "os.fork": "starts processes",
    "os.chdir": "changes the working folder",
    "os.makedirs": "makes folders",
    "os.mkdir": "makes folders",
    "pandas.read_csv": "reads a file",
    "pandas.read_excel": "reads a file",
    "pandas.read_parquet": "reads a file",
    "pandas.read_json": "reads a file",
    "numpy.load": "reads a file",
    "torch.load": "reads a file",
    "joblib.load": "reads a file",
    "nltk.download": "reads from the network",
    "time.sleep": "waits",
    **{
        f"{library}.{method}": "reads from the network"
        for library in ("requests", "httpx")
        for method in ("get", "post", "put", "patch", "delete", "head", "request")
    },
}
#: Statements such as these set a module up, as libraries do too.
SETS_UP = frozenset(
    "apply collect freeze_support set append extend insert update setdefault add register register_at_fork setLevel addHandler addFilter basicConfig dictConfig fileConfig captureWarnings "
    "filterwarnings simplefilter disable_warnings load_dotenv set_option use set_theme set_style set_page_config setlocale setrecursionlimit "
    "seed manual_seed set_seed add_argument add_mutually_exclusive_group add_subparsers set_defaults add_parser add_command add_typer command include_router add_middleware "
    "add_url_rule register_blueprint mount init_app model_rebuild update_forward_refs rebuild set_start_method bindtextdomain textdomain install "
    "signal setattr delattr freeze enable disable clear discard remove pop addLevelName set_num_threads configure config setup close "
    "reconfigure namedtuple add_type guess_type init require_version setitimer disable_eager_execution write_through".split()
)

ABOUT_STREAMS = frozenset({"isatty", "fileno", "encoding", "reconfigure", "errors", "name", "closed"})
