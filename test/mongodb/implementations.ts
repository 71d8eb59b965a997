// What a suite of MongoDB's contract runs against: the model, and each real mongod that is found.
import { test } from "vitest";
import { type Members, ModelMembers, RealMembers, realPrograms } from "./members.js";

const programs = realPrograms(process.env);

export const implementations: readonly (readonly [string, () => Members])[] = [
  ["the model", () => new ModelMembers()],
  ...[...programs].map(([name, program]) => [`mongod ${name}`, () => new RealMembers(program)] as const),
];

/** Counted out loud where there is none. */
export function skipWithoutMongod(): void {
  if (programs.size === 0)
    test.skip("no mongod: put one on the PATH, or name a folder of versions in MONGOD_DIR");
}
