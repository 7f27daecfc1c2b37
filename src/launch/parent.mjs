// Notices that the npm which started us is gone, e.g. by kill -9: without this the command would
// run on with nobody to stop it. The scripts of package.json begin with `exec`, so that npm is our
// parent and its signals reach us; a shell in between would keep them.

const checkMs = 500;

/**
 * Calls once, when the parent has ended. Does not keep the process alive.
 * @param {() => void} onGone
 */
export function watchParent(onGone) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, checkMs);
  timer.unref();
}
