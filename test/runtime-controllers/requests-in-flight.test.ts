// However many objects are due at once, and however many requests a reconcile sends: the API server gets so many at a time.
import { ConfigMap, EventsV1Event } from "@kubewright/api";
import { Client, type Middleware, wrapTransport } from "@kubewright/client";
import { defineController } from "@kubewright/runtime";
import { expect, test } from "vitest";
import { Box, boxNamed, copiesOf, Harness, namespace } from "./harness.js";

/** A client that measures how many requests are in flight, watches left out; each takes a few steps. */
function measuring({ cluster, clock }: Harness) {
  const most = { events: 0, others: 0 };
  const now = { events: 0, others: 0 };
  const middleware: Middleware = (next) => async (request) => {
    if (request.stream) return next(request);
    const what = request.path.includes("/events") ? "events" : "others";
    most[what] = Math.max(most[what], ++now[what]);
    for (let step = 0; step < 10; step++) await Promise.resolve();
    try {
      return await next(request);
    } finally {
      now[what] -= 1;
    }
  };
  const transport = wrapTransport(cluster.server.transport(), [middleware]);
  return { most, client: new Client({ transport, clock }) };
}

/** Makes all its copies at once, and an event for each. */
const eager = defineController(Box, {
  owns: [ConfigMap],
  async reconcile(box, ctx) {
    await Promise.all(copiesOf(box).map((copy) => ctx.apply(ConfigMap, copy)));
    for (const { metadata } of copiesOf(box)) ctx.event({ reason: "Copied", note: metadata.name });
    ctx.status({ ready: ctx.children(ConfigMap).length });
  },
});

test.each([
  [undefined, 32],
  [5, 5],
])(
  "requests in flight: 40 objects with 5 children each, due at once, with maxInFlight %s send %s requests at a time",
  async (maxInFlight, expected) => {
    await using harness = await Harness.start();
    const names = Array.from({ length: 40 }, (_, index) => `box-${index}`);
    for (const name of names) await harness.client.create(Box, boxNamed(name, { copies: 5 }));
    const { most, client } = measuring(harness);
    await harness.manage([eager], { client, manager: { maxInFlight } });
    await harness.clock.advance(1_000);
    const { items } = await harness.client.list(Box, { namespace });
    expect(items.filter(({ status }) => status?.ready === 5)).toHaveLength(40);
    expect(most.others).toBe(expected);
    // No reconcile waits for events: they have slots of their own.
    expect(most.events).toBe(8);
    const events = (await harness.client.list(EventsV1Event, { namespace })).items;
    expect(events.filter(({ reason }) => reason === "Copied")).toHaveLength(200);
  },
);
