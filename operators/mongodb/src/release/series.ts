// Release series of MongoDB: what each is called, which follows which, and what a member of it says of itself.

/** In their order; feature compatibility versions have the same names. */
export const series: readonly string[] = ["4.0", "4.2", "4.4", "5.0", "6.0", "7.0", "8.0"];

const wireVersions: Readonly<Record<string, number>> = {
  "4.0": 7,
  "4.2": 8,
  "4.4": 9,
  "5.0": 13,
  "6.0": 17,
  "7.0": 21,
  "8.0": 25,
};

export const seriesOf = (version: string): string => version.split(".").slice(0, 2).join(".");
export const wireVersionOf = (version: string): number => wireVersions[seriesOf(version)] ?? 25;

export function compareVersions(a: string, b: string): number {
  const [one, other] = [a, b].map((version) => version.split(".").map(Number));
  for (let at = 0; at < 3; at++) {
    const order = (one?.[at] ?? 0) - (other?.[at] ?? 0);
    if (order !== 0) return order;
  }
  return 0;
}

/** The series before one; undefined for the first. */
export const seriesBefore = (name: string): string | undefined => series[series.indexOf(name) - 1];
