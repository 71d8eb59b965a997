// Kills a server under load again and again. KILLS=300 makes it hundreds.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seededRandom } from "@kubewright/cluster";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildServer, KillableServer } from "./killable-server.js";
import { Ledger } from "./ledger.js";

const kills = Number(process.env["KILLS"] ?? 10);
const workers = 8;
const collection = "/api/v1/namespaces/default/configmaps";
const seed = Number(process.env["SEED"] ?? Date.now() % 100_000);

let folder: string;
let program: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kubewright-"));
  program = await buildServer(folder);
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Everything that clients know over all lives of the server. */
class Knowledge {
  readonly ledgers = new Map<string, Ledger>();
  acknowledged = 0;
  /** The newest version anyone saw, in an answer or in a watch. */
  newest = 0;

  ledger(name: string): Ledger {
    const found = this.ledgers.get(name) ?? new Ledger();
    this.ledgers.set(name, found);
    return found;
  }

  saw(version: unknown): number {
    this.newest = Math.max(this.newest, Number(version));
    return Number(version);
  }
}

/** Creates, changes and deletes objects of its own until the server is gone. */
async function write(
  server: KillableServer,
  known: Knowledge,
  worker: number,
  random: () => number,
): Promise<void> {
  for (;;) {
    const name = `w${worker}-${Math.floor(random() * 12)}`;
    const ledger = known.ledger(name);
    const removal = ledger.exists && random() < 0.25;
    const value = `${random()}`;
    const object = { metadata: { name }, data: { value, padding: "x".repeat(random() * 2_000) } };
    ledger.begin(removal ? undefined : value);
    try {
      const { statusCode, body } = await (removal
        ? server.send("DELETE", `${collection}/${name}`)
        : ledger.exists
          ? server.send("PUT", `${collection}/${name}`, object)
          : server.send("POST", collection, object));
      const answer = (await body.json()) as { metadata?: { resourceVersion?: string } };
      if (statusCode >= 300) throw new Error(`${statusCode}: ${JSON.stringify(answer)}`);
      ledger.acknowledged(removal ? 0 : known.saw(answer.metadata?.resourceVersion));
      known.acknowledged += 1;
    } catch (error) {
      if (error instanceof Error && /^\d{3}: /.test(error.message)) throw error;
      return;
    }
  }
}

/** What watches and reads show is seen too. */
async function watch(server: KillableServer, known: Knowledge): Promise<void> {
  try {
    const { body } = await server.send("GET", `${collection}?watch=true&allowWatchBookmarks=true`);
    let rest = "";
    for await (const chunk of body) {
      const lines = (rest + String(chunk)).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) known.saw(JSON.parse(line).object.metadata.resourceVersion);
    }
  } catch {
    // The server was killed.
  }
}

async function read(server: KillableServer, known: Knowledge): Promise<void> {
  try {
    for (;;) {
      const { body } = await server.send("GET", `${collection}?limit=1`);
      known.saw(((await body.json()) as { metadata: { resourceVersion: string } }).metadata.resourceVersion);
    }
  } catch {
    // The server was killed.
  }
}

interface Listed {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly resourceVersion: string };
    readonly data?: { readonly value: string };
  }[];
}

async function check(server: KillableServer, known: Knowledge): Promise<string[]> {
  const { body } = await server.send("GET", collection);
  const list = (await body.json()) as Listed;
  const found = new Map(list.items.map((item) => [item.metadata.name, item]));
  const wrong: string[] = [];
  for (const [name, ledger] of known.ledgers) {
    const item = found.get(name);
    const problem = ledger.settle(item?.data?.value, Number(item?.metadata.resourceVersion ?? 0));
    if (problem) wrong.push(`${name}: ${problem}`);
  }
  const revision = Number(list.metadata.resourceVersion);
  if (revision < known.newest)
    wrong.push(`version ${known.newest} was seen, and the server is at ${revision}`);
  return wrong;
}

test(`every acknowledged write survives ${kills} kills under load`, {
  timeout: 180_000 + kills * 10_000,
}, async () => {
  const directory = join(folder, "data");
  const random = seededRandom(seed, "kills");
  const known = new Knowledge();
  let torn = 0;
  let load: Promise<unknown> | undefined;
  for (let life = 0; life <= kills; life++) {
    const server = await KillableServer.start(program, directory);
    if (server.hello.torn) torn += 1;
    try {
      expect(await check(server, known), `life ${life} of seed ${seed}`).toEqual([]);
      load = Promise.all([
        ...Array.from({ length: workers }, (_, worker) => write(server, known, worker, random)),
        watch(server, known),
        read(server, known),
      ]);
      const enough = known.acknowledged + Math.floor(random() * 400);
      while (known.acknowledged < enough) await new Promise((resolve) => setTimeout(resolve, 5 * random()));
    } finally {
      await server.kill();
    }
    await load;
  }
  expect(known.acknowledged).toBeGreaterThan(kills * 50);
  console.log(
    `${known.acknowledged} writes acknowledged over ${kills} kills, ${torn} torn tails, none lost (seed ${seed})`,
  );
});
