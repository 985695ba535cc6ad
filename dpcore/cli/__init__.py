"""The command line: one module per command, each with add(commands) and run(arguments) -> exit code."""
