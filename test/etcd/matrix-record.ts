// Runs the cases of the fault matrix, and records what became of each.
import type { EtcdWorld } from "./etcd-world.js";
import { MatrixReport } from "./matrix-report.js";
import type { Writer } from "./writer.js";

const report = new MatrixReport();

export interface RecordedCase {
  readonly group: string;
  readonly name: string;
  /** What is changed on purpose, so that no write may be given up. */
  readonly change?: string | undefined;
}

/** Runs a case with a writer that writes all the time; afterwards every acknowledged write must be there. */
export async function record(
  world: EtcdWorld,
  { group, name, change }: RecordedCase,
  writer: Writer,
  work: () => Promise<void>,
): Promise<void> {
  const begin = Date.now();
  const stepsBefore = world.steps.length;
  writer.takeGap();
  writer.takeFailures();
  let result = "passed";
  try {
    await work();
    await writer.flowing();
    await writer.check();
    if (change !== undefined && writer.failures > 0)
      throw new Error(`${writer.failures} writes were given up after 2 s`);
  } catch (error) {
    result = error instanceof Error ? error.message : String(error);
    throw error;
  } finally {
    const steps = change === undefined ? undefined : gapsOf(world, stepsBefore, writer);
    const gap = writer.takeGap();
    const failures = writer.takeFailures();
    report.add({ group, name, result, duration: Date.now() - begin, gap, failures, change, steps });
  }
}

/** The longest time without a write from each step to the next. */
function gapsOf(world: EtcdWorld, from: number, writer: Writer) {
  const steps = world.steps.slice(from);
  return steps.map(({ kind, at }, index) => ({
    kind,
    gap: writer.longestGap(at, steps[index + 1]?.at ?? Date.now()),
  }));
}

/** What a case with a cluster and a writer of its own found. */
export interface Measured {
  readonly change: string;
  readonly gap: number;
  readonly failures: number;
}

/** Runs a case that makes its own cluster. */
export async function recordLife(
  { group, name }: RecordedCase,
  work: () => Promise<Measured | void>,
): Promise<void> {
  const begin = Date.now();
  let result = "passed";
  let measured: Measured | undefined;
  try {
    measured = (await work()) ?? undefined;
  } catch (error) {
    result = error instanceof Error ? error.message : String(error);
    throw error;
  } finally {
    const { change, gap, failures } = measured ?? {};
    report.add({ group, name, result, duration: Date.now() - begin, gap, failures, change });
  }
}

/** Runs the cases of an enumeration one after the other, whatever becomes of each, and names all that failed at the end. */
export class Enumeration {
  readonly #problems: string[] = [];

  async attempt(name: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#problems.push(`${name}: ${error instanceof Error ? error.message : error}`);
    }
  }

  end(): void {
    if (this.#problems.length > 0) throw new Error(this.#problems.join("\n"));
  }
}
