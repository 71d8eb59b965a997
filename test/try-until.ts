/** Tries work until it does not fail, for what takes a time that nobody knows: elections, copies, checks of connections. */
export async function tryUntil<T>(work: () => Promise<T>, timeout: number, pause = 20): Promise<T> {
  for (const end = Date.now() + timeout; ; ) {
    try {
      return await work();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}
