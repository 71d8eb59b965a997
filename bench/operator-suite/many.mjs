// Apart from the rest, so that what is measured imports nothing but this.

/** Does something so many times, a few at a time. */
export async function many(count, atOnce, work) {
  let at = 0;
  const worker = async () => {
    while (at < count) await work(at++);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
