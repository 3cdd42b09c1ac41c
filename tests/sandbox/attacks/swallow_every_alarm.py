"""Takes every alarm away and swallows whatever interrupts it."""

# mypy: ignore-errors
# alone: process
# free: no


def attack():
    try:
        import signal

        signal.alarm(0)
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        signal.signal(signal.SIGXCPU, signal.SIG_IGN)
    except BaseException:
        pass
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
