import { expect, test } from "vitest";
import { membersOf } from "./members.js";

test("dashboard: members of a status are understood by the usual names of fields, and the rest is shown", () => {
  const members = [
    {
      name: "etcd-0",
      id: "8e9e05c52164694d",
      leader: true,
      health: "healthy",
      version: "3.5.30",
      dbSize: 20480,
    },
    { name: "etcd-1", role: "learner", healthy: false, peers: ["a"] },
    { name: "etcd-2", leader: false },
  ];
  expect(membersOf({ members })).toEqual([
    {
      name: "etcd-0",
      role: "leader",
      health: "healthy",
      isHealthy: true,
      fields: [
        ["id", "8e9e05c52164694d"],
        ["version", "3.5.30"],
        ["dbSize", "20480"],
      ],
    },
    { name: "etcd-1", role: "learner", health: "unhealthy", isHealthy: false, fields: [] },
    { name: "etcd-2", role: "", health: "", isHealthy: undefined, fields: [] },
  ]);
});

test.each([undefined, {}, { members: 3 }, { members: [] }, { members: ["a", { id: 1 }, null] }])(
  "dashboard: the status %j lists no members",
  (status) => {
    expect(membersOf(status)).toBeUndefined();
  },
);
