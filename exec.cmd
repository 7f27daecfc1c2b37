@rem The npm scripts begin with `exec`, which a POSIX shell has and cmd.exe has not: this is it.
@%*
