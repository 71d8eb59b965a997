import { describe, expect, test } from "vitest";
import { FileTree, VolumeFiles } from "./file-tree.js";
import { UnknownProgramError } from "./program.js";
import { runCommand } from "./shell.js";
import { UnknownSyntaxError } from "./shell-syntax.js";

/** Runs a program to its end: what it wrote, how long it slept, how it ended. */
function run(words: readonly string[], { files = new FileTree(), variables = {} } = {}) {
  let output = "";
  let slept = 0;
  const write = (bytes: string | Uint8Array): void => {
    output += Buffer.from(bytes);
  };
  const steps = runCommand(words, {
    files,
    variables: new Map(Object.entries(variables)),
    hostname: "pod-1",
    user: { uid: 1000, gid: 0, groups: [2000] },
    now: () => 0,
    terminal: () => undefined,
    stdout: write,
    stderr: write,
    input: undefined,
  });
  for (let step = steps.next(); ; step = steps.next(undefined)) {
    if (step.done) return { output, slept, code: step.value };
    if (step.value.kind === "sleep") slept += step.value.milliseconds;
  }
}
const sh = (script: string, options = {}) => run(["sh", "-c", script], options);

describe("the shell of simulated containers", () => {
  test.each([
    ["exit 3", { code: 3 }],
    ["echo one  'two  three'", { output: "one two  three\n" }],
    ["echo a; sleep 1m && exit 2", { output: "a\n", slept: 60_000, code: 2 }],
    ["sleep 0.5; sleep 1h", { slept: 3_600_500 }],
    ["false; echo still", { output: "still\n", code: 0 }],
    ["set -e; false; echo never", { output: "", code: 1 }],
    ["set -e; if false; then :; fi; false || echo on", { output: "on\n", code: 0 }],
    ["false || echo else && false; echo $?", { output: "else\n1\n" }],
    ["! true || ! false && echo yes", { output: "yes\n" }],
    ["if [ 1 -gt 2 ]; then echo a; elif test -z ''; then echo b; else echo c; fi", { output: "b\n" }],
    ["if false\nthen echo a\nelse\n  echo b # a comment\nfi\n", { output: "b\n" }],
    ['A=1; B="$A two"; echo $B "${C:-none}" ${A}x', { output: "1 two none 1x\n" }],
    ["echo $(echo in; echo ner) done", { output: "in ner done\n" }],
    ["echo text | cat", { output: "text\n" }],
    ["(exit 4)", { code: 4 }],
    ["{ echo a; echo b; } > /tmp/x; cat /tmp/x", { output: "a\nb\n" }],
    ["echo a > /tmp/x; echo b >> /tmp/x; cat < /tmp/x", { output: "a\nb\n" }],
    ["cat /nowhere 2>/dev/null || echo no", { output: "no\n" }],
    ["echo gone >/dev/null 2>&1; echo seen >&2", { output: "seen\n" }],
    ["touch /tmp/a && [ -f /tmp/a ] && rm /tmp/a && test ! -e /tmp/a && echo fine", { output: "fine\n" }],
    ["echo 1 > /tmp/a; cp /tmp/a /tmp/b; mv /tmp/b /tmp/c; cat /tmp/c; ls /tmp", { output: "1\na\nc\n" }],
    ["exec echo last; echo never", { output: "last\n" }],
    ["printf '%s-%s\\n' a b", { output: "a-b\n" }],
    ["echo 'a", { output: "sh: syntax error: unterminated quoted string\n", code: 2 }],
    ["if true; then echo a", { code: 2 }],
    ["echo $0 $1", { output: "sh\n" }],
    ["for i in 1 2 $(echo 3); do echo $i; done", { output: "1\n2\n3\n" }],
    ["i=0; while [ $i -lt 3 ]; do i=$((i + 1)); sleep 1; done; echo $i", { output: "3\n", slept: 3000 }],
    ["until test -f /tmp/a; do touch /tmp/a; echo once; done", { output: "once\n" }],
    ["while true; do echo a; break; echo b; done; echo c", { output: "a\nc\n" }],
    ["for i in 1 2 3; do if [ $i = 2 ]; then continue; fi; echo $i; done", { output: "1\n3\n" }],
    ["for i in 1 2; do for j in 1 2; do echo $i$j; continue 2; done; done", { output: "11\n21\n" }],
    ["for i in a; do false; done || echo failed", { output: "failed\n" }],
    ["while false; do :; done; echo $?", { output: "0\n" }],
    ["for i in 1 2; do echo $i; exit 5; done", { output: "1\n", code: 5 }],
    ["for f in a b\ndo\n  echo $f\ndone > /tmp/x; cat /tmp/x", { output: "a\nb\n" }],
    ['N=7; echo "$((2 * (N - 3) % 5)) $((7 / 2)) $((-3 < 2 && 1 != 1))"', { output: "3 3 0\n" }],
    ["if [ $(expr 3 % 2) -ne 0 ]; then exit 1; fi", { code: 1 }],
    ["if [[ -r /tmp/a ]]\nthen\n exit 0\nelse\n touch /tmp/a\n exit 42\nfi", { code: 42 }],
    [
      "printf 'a b\\nc d\\n' > /tmp/x; wc -l /tmp/x; wc -l < /tmp/x; wc /tmp/x",
      { output: "2 /tmp/x\n2\n2 4 8 /tmp/x\n" },
    ],
    [
      "printf 'a b\\nc d\\n' | head -n 1; printf 'a b\\nc d\\n' | awk {'print $2'}",
      { output: "a b\nb\nd\n" },
    ],
    [
      "echo one > /tmp/x; head -n1 /tmp/x; head /tmp/none",
      { output: "one\nhead: /tmp/none: No such file or directory\n", code: 1 },
    ],
    [
      "f=/tmp/x; n=$(echo a >> $f; wc -l $f | awk {'print $1'}); if [ $n -eq 1 ]; then exit 7; fi",
      { code: 7 },
    ],
    ["id -u; id", { output: "1000\nuid=1000 gid=0(root) groups=0(root),2000\n" }],
  ])("%s", (script, expected) => {
    expect(sh(script)).toMatchObject({ code: 0, ...expected });
  });

  test("runs the known commands before the first unknown one", () => {
    const files = new FileTree();
    expect(() => sh("touch /tmp/ready; case a in a) ;; esac", { files })).toThrow(UnknownSyntaxError);
    expect(files.read("/tmp/ready")).toBeDefined();
    expect(sh("false && case a in a) ;; esac").code).toBe(1);
  });

  test("follows a loop for a thousand rounds", () => {
    let rounds = 0;
    const script = "while :; do echo x > /tmp/a; done";
    const files = new FileTree();
    files.onChange(() => rounds++);
    expect(() => sh(script, { files })).toThrow(UnknownSyntaxError);
    expect(rounds).toBeGreaterThanOrEqual(1000);
  });

  test("names itself as it was called", () => {
    const files = new FileTree([], undefined, { readOnly: true });
    const { output, code } = run(["/bin/sh", "-c", "echo test > /file"], { files });
    expect({ output, code }).toEqual({
      output: "/bin/sh: can't create /file: Read-only file system\n",
      code: 1,
    });
  });

  test("has the variables of its container", () => {
    const variables = { JOB_COMPLETION_INDEX: "7" };
    expect(sh('[ "$JOB_COMPLETION_INDEX" = 7 ] && exit "$JOB_COMPLETION_INDEX"', { variables }).code).toBe(7);
  });

  test("writes to volumes that others mount too, unless they are read-only", () => {
    const volume = new VolumeFiles();
    const mount = { path: "/data", volume, subPath: undefined, readOnly: false };
    expect(sh("echo kept > /data/a/b; test -d /data/a", { files: new FileTree([mount]) }).code).toBe(0);
    const other = new FileTree([{ ...mount, path: "/seen", subPath: "a", readOnly: true }]);
    expect(sh("cat /seen/b; ls /seen", { files: other })).toMatchObject({ output: "kept\nb\n", code: 0 });
    expect(sh("echo no > /seen/b", { files: other })).toMatchObject({ code: 1 });
  });

  test.each([["nginx -g daemon"], ["echo up; httpd -f"], ["true && postgres"]])(
    "%s: an unknown program is reported as such",
    (script) => expect(() => sh(script)).toThrow(UnknownProgramError),
  );

  test.each([
    ["while true; do sleep 1; done"],
    ["for i; do echo $i; done"],
    ["sleep 1 & wait"],
    ["echo $((1 << 2))"],
    ["A=0123456789abcdef; for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do A=$A$A; done"],
    ["f() { true; }"],
  ])("%s: unknown syntax is reported as such", (script) =>
    expect(() => sh(script)).toThrow(UnknownSyntaxError),
  );
});
