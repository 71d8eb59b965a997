// When `make run` stops: on a signal, or when make, which started it, is gone.

const lookEvery = 500;

/** One Ctrl-C can arrive twice: from the terminal and from make or `timeout`, which pass it on. */
const sameInterrupt = 1000;

/** Aborted by the first SIGINT, SIGTERM or SIGHUP; one that comes later, while the program cleans up, ends the process at once. */
export function stopSignal() {
  const controller = new AbortController();
  let since;
  const stop = () => {
    if (since !== undefined && performance.now() - since > sameInterrupt) process.exit(130);
    since ??= performance.now();
    controller.abort();
  };
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, stop);
  stopWithMake(controller);
  return controller.signal;
}

/** make passes SIGTERM on; when it is killed without a chance to, this process gets another parent. */
function stopWithMake(controller) {
  if (process.env.MAKELEVEL === undefined) return;
  const { ppid } = process;
  setInterval(() => process.ppid !== ppid && controller.abort(), lookEvery).unref();
}
