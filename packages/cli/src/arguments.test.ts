import { describe, expect, test } from "vitest";
import { parseArguments } from "./arguments.js";
import type { Command } from "./command.js";

const command: Command = {
  example: "",
  options: {
    kind: { type: "string", short: "k", description: "" },
    controller: { type: "boolean", description: "" },
    output: { type: "string", description: "", choices: ["json", "yaml"] },
  },
  positionals: { usage: "[dir]", most: 1 },
  run: async () => 0,
};

describe("a command line is read", () => {
  test.each([
    [["--kind", "A"], { kind: "A" }, []],
    [["--kind=A", "dir"], { kind: "A" }, ["dir"]],
    [["-k", "A"], { kind: "A" }, []],
    [["--kind=-1"], { kind: "-1" }, []],
    [["--kind", "A", "--kind", "B"], { kind: "B" }, []],
    [["--controller"], { controller: true }, []],
    [["--controller=true"], { controller: true }, []],
    [["--controller=false"], { controller: false }, []],
    [["--no-controller"], { controller: false }, []],
    [["--", "--kind"], {}, ["--kind"]],
  ])("%j", (argv, values, positionals) => {
    expect(parseArguments(command, argv)).toEqual({ values, positionals, help: "none" });
  });
});

describe("or refused, with what was meant", () => {
  test.each([
    [["--knd", "A"], "unknown option --knd; did you mean --kind?"],
    [["-x"], "unknown option -x; --help lists the options"],
    [["--kind"], "--kind needs a value"],
    [["--kind", "--controller"], "--kind needs a value"],
    [["--controller=perhaps"], "true or false is needed"],
    [["--output", "jsn"], "one of json, yaml is needed; did you mean json?"],
    [["a", "b"], 'unexpected argument "b"'],
    [["--__proto__", "x"], "unknown option --__proto__"],
    [["--no-kind"], "unknown option --no-kind"],
  ])("%j", (argv, message) => {
    expect(() => parseArguments(command, argv)).toThrow(message);
  });
});
