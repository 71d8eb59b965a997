// The kinds that campaigns make up are kinds a server takes, and what is made for them fits.
import { afterAll, beforeAll, expect, test } from "vitest";
import { Target } from "../robustness/target.js";
import { collectionOf, customKindsOf, objectOf } from "./custom-kinds.js";
import { WatchedStorage } from "./housekeeping.js";
import { Random } from "./random.js";
import { Standing } from "./standing.js";

const seed = 3;
const kinds = customKindsOf(seed);
const storage = new WatchedStorage();
let target: Target;
let standing: Standing;

beforeAll(async () => {
  target = new Target({ storage });
  standing = new Standing(target, storage, kinds);
  await standing.make();
});

afterAll(() => target.close());

test.each(kinds)("objects made for $kind are taken", async (kind) => {
  const collection = collectionOf(kind, "v1");
  for (let index = 0; index < 20; index++) {
    const made = objectOf(kind, "v1", `n${index}`, kind.make(Random.of(seed, index)));
    const { status, body } = await target.send({ method: "POST", path: collection, object: made });
    // Some of what is varied is wrong on purpose; what is made up fits.
    if (kind.kind.startsWith("Made")) expect([status, body]).toEqual([201, expect.anything()]);
    else expect([201, 422]).toContain(status);
  }
});

test.each(Array.from({ length: 15 }, (_, index) => index + 10))(
  "kinds of seed %i are taken",
  async (each) => {
    for (const { kind, definition } of customKindsOf(each)) {
      const object = structuredClone(definition.object) as { metadata: object; spec: { group: string } };
      const name = `${kind.toLowerCase()}s.tried.example.com`;
      const tried = { ...object, metadata: { name }, spec: { ...object.spec, group: "tried.example.com" } };
      await target.must({ method: "POST", path: definition.path, query: "dryRun=All", object: tried });
    }
  },
);

test("a definition that a request deleted is made again, with an object", async () => {
  const [kind] = kinds;
  if (!kind) throw new Error("there are no kinds");
  const request = {
    method: "DELETE",
    path: `${kind.definition.path}/${kind.definition.object.metadata.name}`,
  } as const;
  await target.must(request);
  await standing.heed(request);
  expect(standing.restored).toBe(1);
  await target.must({ method: "GET", path: `${collectionOf(kind, "v1")}/sample` });
});
