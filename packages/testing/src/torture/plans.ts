// The runs of a campaign: which disturbances are tried, at which writes.
import { type Seed, seededRandom } from "@kubewright/cluster";
import type { ManagerDefinition } from "@kubewright/runtime";
import { type Disturbance, type WriteDisturbance, writeDisturbances } from "./disturbance.js";
import type { WritePoint } from "./disturber.js";

/** The disturbances of one run. */
export type Plan = readonly Disturbance[];

/** The length of a stale view, in milliseconds. */
const staleTime = 30_000;

/** Everything that can happen to a write, or some of it, at every write. */
export function crashPlans(
  writes: readonly WritePoint[],
  kinds: readonly WriteDisturbance[] = writeDisturbances,
): readonly Plan[] {
  return kinds.flatMap((kind) => writes.map((_, index) => [{ kind, write: index + 1 }]));
}

/** How late a kind is seen all the time, in milliseconds. */
const lagTime = 10_000;

/**
 * What was just written is not seen after a lost answer or a crash; then no kind is, one at a time; then one kind is always seen late; then a
 * manager that has crashed sees an older state.
 */
export function stalePlans(writes: readonly WritePoint[], definition: ManagerDefinition): readonly Plan[] {
  const watched = watchedBy(definition);
  const freezes = (
    write: number,
    resources: readonly string[],
  ): readonly (Disturbance & { write: number })[] =>
    resources.map((resource) => ({ kind: "freeze", resource, write, milliseconds: staleTime }));
  const written = writes.flatMap(({ path }, index) =>
    freezes(
      index + 1,
      watched.filter((resource) => path.split("/").includes(resource)),
    ),
  );
  const after = (kind: "lose-answer" | "crash-after"): readonly Plan[] =>
    written.map((freeze) => [{ kind, write: freeze.write }, freeze]);
  const alone = writes.flatMap((_, index) => freezes(index + 1, watched).map((freeze) => [freeze]));
  const lags = watched.map((resource): Plan => [{ kind: "delay-watch", resource, milliseconds: lagTime }]);
  return [...after("lose-answer"), ...after("crash-after"), ...alone, ...lags, ...olderViews(writes)];
}

/** At every write: the state of before it, of the beginning of its step, and of the step before. */
function olderViews(writes: readonly WritePoint[]): readonly Plan[] {
  const firstOf = (step: number): number => 1 + writes.findIndex((each) => each.step >= step);
  return writes.flatMap(({ step }, index) => {
    const write = index + 1;
    const views = new Set([write, firstOf(step), firstOf(step - 1)]);
    return [...views].map((view): Plan => [{ kind: "older-view", view, write, milliseconds: staleTime }]);
  });
}

/** A random schedule: some writes and timers come late, and changes are seen late. */
export function interleaving(
  seed: Seed,
  index: number,
  writes: readonly WritePoint[],
  definition: ManagerDefinition,
): Plan {
  const random = seededRandom(seed, `interleaving ${index}`);
  const late = (most: number): number => 1 + Math.floor(random() * most);
  const watched = watchedBy(definition);
  const timers: Plan = random() < 0.5 ? [{ kind: "delay-timers", milliseconds: late(5_000) }] : [];
  return [
    ...timers,
    ...watched
      .filter(() => random() < 0.5)
      .map((resource): Disturbance => ({ kind: "delay-watch", resource, milliseconds: late(5_000) })),
    ...writes.flatMap((_, each): Plan => {
      const [write, what] = [each + 1, random()];
      if (what < 0.3) return [{ kind: "delay-write", write, milliseconds: late(2_000) }];
      const resource = watched[Math.floor(random() * watched.length)];
      if (what > 0.4 || resource === undefined) return [];
      return [{ kind: "freeze", resource, write, milliseconds: late(5_000) }];
    }),
  ];
}

/** The resources that the caches of a manager follow. */
function watchedBy({ controllers }: ManagerDefinition): readonly string[] {
  const kinds = controllers.flatMap(({ resource, owns, watches }) => [
    resource,
    ...[...owns, ...watches].map((entry) => entry.resource),
  ]);
  return [...new Set(kinds.map(({ plural }) => plural))];
}
