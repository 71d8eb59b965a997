// What the model of mongod refuses to those outside its pod.
import { VirtualClock } from "@kubewright/api";
import { expect, test } from "vitest";
import { connection } from "./command.js";
import { Disk } from "./disk.js";
import { ModelledMongod } from "./modelled-mongod.js";

function started(): { readonly mongod: ModelledMongod; readonly clock: VirtualClock } {
  const clock = new VirtualClock();
  const mongod = new ModelledMongod({
    host: "a:27017",
    setName: "rs",
    version: "7.0.14",
    keyFile: "key",
    tlsMode: "disabled",
    clock,
    random: () => 0.5,
    disk: new Disk(),
    call: () => Promise.reject(new Error("it is alone")),
  });
  mongod.start();
  return { mongod, clock };
}

const unauthorized = { ok: 0, code: 13 };
const initiate = { replSetInitiate: { _id: "rs", members: [{ _id: 0, host: "a:27017" }] }, $db: "admin" };
const firstUser = { createUser: "admin", pwd: "p", roles: ["root"], $db: "admin" };

test("the model of mongod: the localhost exception holds only inside the pod, and only until there is a user", async () => {
  const { mongod, clock } = started();
  const outside = connection({ isLoopback: false, isTls: false });
  const inside = connection({ isLoopback: true, isTls: false });
  expect(await mongod.answer(outside, { isMaster: 1 })).toMatchObject({ ok: 1, ismaster: false });
  expect(await mongod.answer(outside, initiate)).toMatchObject(unauthorized);
  expect(await mongod.answer(outside, { replSetGetStatus: 1 })).toMatchObject(unauthorized);
  expect(await mongod.answer(inside, initiate)).toMatchObject({ ok: 1 });
  await clock.settle();
  expect(await mongod.answer(outside, firstUser)).toMatchObject(unauthorized);
  expect(await mongod.answer(inside, { ...firstUser, $db: "shop" })).toMatchObject(unauthorized);
  expect(await mongod.answer(inside, firstUser)).toMatchObject({ ok: 1 });
  expect(await mongod.answer(inside, { ...firstUser, createUser: "second" })).toMatchObject(unauthorized);
  mongod.stop();
});

test("the model of mongod: only who has the key file is another member", async () => {
  const { mongod } = started();
  const from = connection({ isLoopback: true, isTls: false });
  expect(await mongod.answer(from, { replicate: { kind: "ask", from: "b:27017", set: "rs" } })).toMatchObject(
    unauthorized,
  );
  expect(() => mongod.login(from, { user: "__system", db: "local", password: "another" })).toThrow(
    "Authentication failed",
  );
  mongod.login(from, { user: "__system", db: "local", password: "key" });
  expect(await mongod.answer(from, { replicate: { kind: "ask", from: "b:27017", set: "rs" } })).toMatchObject(
    {
      ok: 1,
      reply: { isInitialized: false },
    },
  );
  mongod.stop();
});
