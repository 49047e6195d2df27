"""The daemon: it tends a memory at intervals. Nothing waits for it, nothing needs it, and all it does a command can do.

Who is alive is told by a kernel lock (`presence`), never by a process id alone; what the daemon has to
say lies in files beside that lock (`state`, `journal`); a wish to end lies there, too (`control`).
"""
