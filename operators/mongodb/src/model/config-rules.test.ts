// The rules for configurations in the model of mongod, by version.
import { expect, test } from "vitest";
import type { MemberConfig, ReplicaSetConfig } from "../client/replica-set-documents.js";
import { checkChange, isSame } from "./config-rules.js";

const member = (_id: number, votes = 1): MemberConfig => ({
  _id,
  host: `m${_id}:27017`,
  votes,
  priority: votes,
});
const config = (version: number, members: readonly MemberConfig[]): ReplicaSetConfig => ({
  _id: "rs",
  version,
  members,
});
const rules = (isOneVote: boolean, isDefaultKept = false) => ({ isOneVote, isDefaultKept });
const before = config(1, [member(0)]);
const two = config(2, [member(0), member(1), member(2)]);

test("the model of mongod: from 4.4 on a change gives or takes one vote at most; 4.2 has no such rule", () => {
  expect(() => checkChange(before, two, rules(true))).toThrow(
    "can only add or remove at most 1 voting member",
  );
  expect(() => checkChange(before, two, rules(false))).not.toThrow();
  const silent = config(2, [member(0), member(1, 0), member(2, 0)]);
  expect(() => checkChange(before, silent, rules(true))).not.toThrow();
});

test("the model of mongod: a member's id belongs to its host, in every version", () => {
  const moved = config(2, [{ ...member(0), _id: 5 }]);
  expect(() => checkChange(before, moved, rules(false))).toThrow("_id field is 5");
});

test("the model of mongod: from 5.0 on an arbiter may not change the default write concern unless one is set", () => {
  const pair = config(1, [member(0), member(1)]);
  const withArbiter = config(2, [member(0), member(1), { ...member(2), arbiterOnly: true, priority: 0 }]);
  expect(() => checkChange(pair, withArbiter, rules(true, true))).toThrow("implicit default write concern");
  expect(() => checkChange(pair, withArbiter, rules(true, false))).not.toThrow();
});

test("the model of mongod: a configuration without a term, as 4.2 makes it, is the same as one of its version with a term", () => {
  expect(isSame({ version: 3, term: 7 }, { version: 3, term: -1 })).toBe(true);
  expect(isSame({ version: 3 }, { version: 3, term: 7 })).toBe(true);
  expect(isSame({ version: 3, term: 7 }, { version: 3, term: 6 })).toBe(false);
  expect(isSame({ version: 3, term: 7 }, { version: 4, term: -1 })).toBe(false);
});
