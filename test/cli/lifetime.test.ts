// How long clusters live, and what becomes of their kubeconfigs: with real processes, as people start and stop them.
import { type ChildProcess, spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CliFixture } from "./cli-fixture.js";

const fixture = new CliFixture("modelbox");
const timeout = 90_000;
const at = (name: string) => join(fixture.directory, name);
beforeAll(() => fixture.bundle(), timeout);
afterAll(() => fixture.close());

const quick = ["cluster", "--nodes", "0", "--controllers", "none"];

/** Resolves when nothing listens at the server of a kubeconfig. */
async function untilGone(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const answers = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect({ host: hostname, port: Number(port) }, () => resolve(true));
      socket.once("error", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    });
  while (await answers()) await new Promise((resolve) => setTimeout(resolve, 50));
}

const serverIn = (file: string) => /server: "(\S+)"/.exec(readFileSync(file, "utf8"))?.[1] ?? "";

test(
  "kubewright cluster twice in one folder: each has its kubeconfig, and each deletes only its own",
  async () => {
    mkdirSync(at("twice"));
    const first = fixture.start(quick, { cwd: at("twice") });
    await first.printed("cluster ready");
    const second = fixture.start(quick, { cwd: at("twice") });
    await second.printed(`export KUBECONFIG=${at("twice/.kubewright/kubeconfig-2")}`);
    const refused = fixture.start([...quick, "--kubeconfig", ".kubewright/kubeconfig"], { cwd: at("twice") });
    expect(await refused.ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("is in use by the cluster at"),
    });
    first.child.kill("SIGINT");
    expect(await first.ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/\nstopped\n$/) });
    expect(existsSync(at("twice/.kubewright/kubeconfig"))).toBe(false);
    expect(statSync(at("twice/.kubewright/kubeconfig-2")).mode & 0o777).toBe(0o600);
    second.child.kill("SIGTERM");
    expect((await second.ended).code).toBe(0);
    expect(existsSync(at("twice/.kubewright/kubeconfig-2"))).toBe(false);
  },
  timeout,
);

test(
  "kubewright cluster: the same Ctrl-C arriving twice ends it as one does; a later one ends it at once, without its kubeconfig left behind",
  async () => {
    mkdirSync(at("interrupts"));
    const kubeconfig = at("interrupts/.kubewright/kubeconfig");
    const twice = fixture.start([...quick, "--shutdown-delay-duration", "500ms"], { cwd: at("interrupts") });
    await twice.printed("cluster ready");
    for (const _ of [1, 2]) {
      twice.child.kill("SIGINT");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(await twice.ended).toMatchObject({ code: 0, stdout: expect.stringMatching(/\nstopped\n$/) });
    expect(existsSync(kubeconfig)).toBe(false);

    const slow = fixture.start([...quick, "--shutdown-delay-duration", "60s"], { cwd: at("interrupts") });
    await slow.printed("cluster ready");
    slow.child.kill("SIGINT");
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect(existsSync(kubeconfig)).toBe(true);
    slow.child.kill("SIGINT");
    expect((await slow.ended).code).toBe(130);
    expect(existsSync(kubeconfig)).toBe(false);
  },
  timeout,
);

test(
  "kubewright cluster --kubeconfig: a file of somebody else's or one that cannot be written ends the command",
  async () => {
    writeFileSync(at("mine"), "current-context: production\n");
    const foreign = await fixture.start([...quick, "--kubeconfig", at("mine")]).ended;
    expect(foreign).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("mine exists and is not the kubeconfig"),
    });
    expect(readFileSync(at("mine"), "utf8")).toBe("current-context: production\n");
    const unwritable = await fixture.start([...quick, "--kubeconfig", at("mine/below")]).ended;
    expect(unwritable).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("the kubeconfig cannot be"),
    });
  },
  timeout,
);

test(
  "kubewright cluster started by npm ends when npm is killed",
  async () => {
    mkdirSync(at("npx"));
    const kubeconfig = at("npx/kubeconfig");
    // The shell does not replace itself, as those of npm on some systems do not.
    const command = `'${process.execPath}' '${fixture.program}' ${quick.join(" ")} --kubeconfig '${kubeconfig}'; true`;
    const npm = spawn("npm", ["exec", "--offline", "-c", command], {
      cwd: at("npx"),
      stdio: ["ignore", "pipe", "pipe"],
    });
    await printed(npm, "cluster ready");
    const server = serverIn(kubeconfig);
    npm.kill("SIGKILL");
    await untilGone(server);
    while (existsSync(kubeconfig)) await new Promise((resolve) => setTimeout(resolve, 50));
  },
  timeout,
);

function printed(child: ChildProcess, text: string): Promise<string> {
  let all = "";
  return new Promise((resolve, reject) => {
    const take = (chunk: Buffer): void => {
      all += chunk.toString();
      if (all.includes(text)) resolve(all);
    };
    child.stdout?.on("data", take);
    child.stderr?.on("data", take);
    child.once("close", () => reject(new Error(`ended without printing "${text}":\n${all}`)));
  });
}

/** The Makefile beside a program that says who it is and ends on a signal as `scripts/run.mjs` does. */
function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "kubewright-make-"));
  cpSync(join(import.meta.dirname, "../../Makefile"), join(folder, "Makefile"));
  writeFileSync(join(folder, "package-lock.json"), "{}");
  mkdirSync(join(folder, "node_modules"));
  mkdirSync(join(folder, "scripts"));
  writeFileSync(join(folder, "node_modules/.installed"), "");
  cpSync(join(import.meta.dirname, "../../scripts/stop-signal.mjs"), join(folder, "scripts/stop-signal.mjs"));
  const program = `import { stopSignal } from "./stop-signal.mjs";
const timer = setInterval(() => {}, 1000);
const cleanUp = () => { console.log("stopped"); clearInterval(timer); };
stopSignal().addEventListener("abort", () => setTimeout(cleanUp, 300));
console.log("parent " + process.ppid);`;
  writeFileSync(join(folder, "scripts/run.mjs"), program);
  return folder;
}

test.each(["SIGTERM", "SIGINT"] as const)(
  "make run: %s reaches the program, and make has nothing to complain about",
  async (signal) => {
    const folder = makeFolder();
    const make = spawn("make", ["run"], { cwd: folder, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [make.stdout, make.stderr])
      stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
    expect(await printed(make, "parent ")).toContain(`parent ${make.pid}`);
    // Ctrl-C reaches everything that the terminal runs, kill only make.
    const target = signal === "SIGINT" ? -(make.pid ?? 0) : (make.pid ?? 0);
    process.kill(target, signal);
    // And once more, as with `timeout --signal INT`, which sends it to its child and to its whole group.
    if (signal === "SIGINT") process.kill(target, signal);
    await new Promise((resolve) => make.once("close", resolve));
    expect(output).toContain("stopped");
    if (signal === "SIGINT") expect(output).not.toContain("***");
    rmSync(folder, { recursive: true });
  },
  timeout,
);
