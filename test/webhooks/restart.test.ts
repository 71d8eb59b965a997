// A manager behind a Service that stops: its endpoints are forgotten only after it has been asked to, and no request may fail meanwhile.
import {
  Lease,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
  VirtualClock,
} from "@kubewright/api";
import { defineManager, type ServiceServing, viaService, webhookConfigurations } from "@kubewright/runtime";
import { expect, test } from "vitest";
import { Box, boxNamed, boxWebhook, namespace, Yard } from "./boxes.js";

const serviceName = "yard-webhook-service";
const drain = 5_000;
const serving: ServiceServing = { mode: "service", host: "127.0.0.1", port: 0, drain };

/** A cluster whose Service leads to the ports that `endpoints` gives, one after the other. */
async function openYard(endpoints: (yard: Yard) => readonly number[] = ({ ports }) => ports): Promise<Yard> {
  // TLS knows only the real time, so virtual time begins there.
  const yard = await Yard.open({ clock: new VirtualClock({ start: Date.now(), timeout: 10_000 }) });
  const manager = defineManager({ name: "yard", controllers: [], webhooks: [boxWebhook] });
  const clientConfig = viaService({ namespace, name: serviceName });
  const { mutating, validating } = webhookConfigurations(manager, { clientConfig });
  if (mutating) await yard.client.create(MutatingWebhookConfiguration, mutating);
  if (validating) await yard.client.create(ValidatingWebhookConfiguration, validating);
  let next = 0;
  yard.services.set(`${namespace}/${serviceName}`, () => {
    const ports = endpoints(yard);
    return { host: "127.0.0.1", port: ports[next++ % ports.length] ?? 0 };
  });
  return yard;
}

const start = (yard: Yard, webhooks: ServiceServing = serving) =>
  yard.manage({ webhooks, namespace, health: { port: 0 } }, [boxWebhook], "yard", { leaderElection: true });

const create = (yard: Yard, name: string) => yard.client.create(Box, boxNamed(name));

test("a stopping manager behind a Service is not ready, and answers webhooks until its drain time is over", async () => {
  await using yard = await openYard();
  const manager = await start(yard);
  const ready = async () => (await fetch(`${manager.addresses.health}/readyz`)).status;
  await yard.until(() => manager.isLeader);
  expect(await ready()).toBe(200);
  const closing = manager.close();
  expect(await ready()).toBe(500);
  await create(yard, "at-once");
  await yard.advance(drain - 100);
  await create(yard, "late");
  // Its controllers have ended long ago, so that another replica could lead.
  const { items } = await yard.client.list(Lease, { namespace });
  expect(items.map(({ spec }) => spec?.holderIdentity || "nobody")).toEqual(["nobody"]);
  await yard.advance(200);
  await closing;
  await expect(create(yard, "too-late")).rejects.toThrow(/failed calling webhook/);
});

test("a manager behind a Service that is replaced refuses nothing while its endpoint is still known", async () => {
  let known = 0;
  await using yard = await openYard(({ ports }) => ports.slice(known));
  const old = await start(yard);
  await create(yard, "before");
  await start(yard);
  const closing = old.close();
  for (let step = 0; step < 40; step++) {
    // Endpoints follow after two seconds.
    if (step === 20) known = 1;
    await create(yard, `box-${step}`);
    await yard.advance(100);
  }
  await yard.finish(closing);
  await create(yard, "after");
});

test("a manager whose webhooks have no drain time stops at once", async () => {
  await using yard = await openYard();
  const manager = await start(yard, { ...serving, drain: 0 });
  const before = yard.clock.now();
  await manager.close();
  expect(yard.clock.now()).toEqual(before);
});
