import { describe, expect, it } from "vitest";
import { wantedUser } from "./wanted-user.js";

describe("impersonation headers", () => {
  it("impersonate nobody when they are absent", () => {
    expect(wantedUser(undefined)).toBeUndefined();
    expect(wantedUser({ accept: "*/*", "impersonate-user": "" })).toBeUndefined();
  });

  it("set user name, UID, groups and extra fields", () => {
    expect(
      wantedUser({
        "impersonate-user": "jane",
        "impersonate-uid": "7",
        "impersonate-group": "cn=a, dc=b\nops",
        "impersonate-extra-scopes": "view\nedit",
        "impersonate-extra-example.org%2Fteam": "blue",
        "impersonate-extra-100%": "x",
      }),
    ).toEqual({
      name: "jane",
      uid: "7",
      groups: ["cn=a, dc=b", "ops"],
      extra: new Map([
        ["scopes", ["view", "edit"]],
        ["example.org/team", ["blue"]],
        ["100%", ["x"]],
      ]),
    });
  });

  it.each([
    [{ "impersonate-group": "x" }, 'Groups:[]string{"x"}, Extra:map[string][]string(nil)'],
    [{ "impersonate-uid": "7" }, 'UID:"7", Groups:[]string(nil), Extra:map[string][]string(nil)'],
    [
      { "impersonate-extra-b": "1\n2", "impersonate-extra-a": "3" },
      'Groups:[]string(nil), Extra:map[string][]string{"a":[]string{"3"}, "b":[]string{"1", "2"}}',
    ],
  ])("are refused without a user name: %j", (headers, shown) => {
    expect(() => wantedUser(headers)).toThrow(`${shown}} without impersonating a user name`);
  });
});
