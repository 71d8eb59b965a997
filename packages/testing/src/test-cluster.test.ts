import { ConfigMap, Deployment, Lease, Namespace, Node, Pod } from "@kubewright/api";
import { defineController, defineManager, defineWebhook } from "@kubewright/runtime";
import { afterAll, describe, expect, test, vi } from "vitest";
import { Greeting, greetingController, operator } from "./fixtures/greeting.js";
import { LeakError, testCluster } from "./index.js";

const hello = { name: "hello", spec: { text: "hi" } };

describe.each(["virtual", "real"] as const)("in %s time", (clock) => {
  test("runs the controllers under test until an expectation is met", async () => {
    await using cluster = await testCluster({ ...operator, clock });
    await cluster.create(Greeting, hello);
    const child = await cluster.eventually(ConfigMap, "hello", (object) => object.data?.["text"] === "hi");
    expect(child.metadata?.namespace).toBe("default");
    await cluster.condition(Deployment, "hello", "Available");
    await cluster.eventually(Greeting, "hello", ({ status }) => status?.ready === 1);
    expect(cluster.errors).toEqual([]);
  });

  test("a namespace for each test goes away with all that is in it", async () => {
    await using cluster = await testCluster({ ...operator, clock });
    const names: string[] = [];
    for (let round = 0; round < 2; round++) {
      await using scope = await cluster.forTest();
      names.push(scope.namespace);
      await scope.create(Greeting, hello);
      await scope.eventually(ConfigMap, "hello");
    }
    expect(new Set(names).size).toBe(2);
    const left = (await cluster.client.list(Namespace)).items.map(({ metadata }) => metadata?.name);
    for (const name of names) expect(left).not.toContain(name);
  });

  test("distinguishes what holds all the time from what does not", async () => {
    await using cluster = await testCluster({ ...operator, clock });
    await cluster.create(Greeting, hello);
    await cluster.condition(Deployment, "hello", "Available");
    await cluster.consistently(async () => (await cluster.list(Pod)).length === 1, 100);
    const check = cluster.consistently(async () => (await cluster.list(Pod)).length === 2, 100);
    await expect(check).rejects.toThrow("what was to hold all the time did not\nthe last value was false");
  });
});

test("a namespace of its own", async () => {
  await using cluster = await testCluster({ namespace: "suite" });
  expect((await cluster.get(Namespace, "suite")).status?.phase).toBe("Active");
  await cluster.create(ConfigMap, { name: "a", data: { k: "v" } });
  expect((await cluster.get(ConfigMap, "a")).metadata?.namespace).toBe("suite");
  await cluster.delete(ConfigMap, "a");
  await cluster.eventuallyGone(ConfigMap, "a");
});

describe("an expectation that is not met", () => {
  test("says what is there instead", async () => {
    await using cluster = await testCluster();
    await cluster.create(ConfigMap, { name: "a", data: { k: "v" } });
    const waiting = cluster.eventually(ConfigMap, "a", (object) => object.data?.["k"] === "w", {
      timeout: "50ms",
    });
    await expect(waiting).rejects.toThrow(
      /ConfigMap default\/a did not meet the expectation within 50 ms\nit is \{[\s\S]*"k": "v"/,
    );
    await expect(cluster.eventually(ConfigMap, "b")).rejects.toThrow("there is none");
  });

  test("reports the events about the object and its children, and the failures of controllers", async () => {
    const failing = defineController(Greeting, {
      reconcile: () => {
        throw new Error("the moon is full");
      },
    });
    await using cluster = await testCluster({
      resources: [Greeting],
      controllers: [failing],
      leaks: "ignore",
    });
    await cluster.create(Greeting, hello);
    await cluster.create(Pod, {
      name: "hello-pod",
      spec: { nodeSelector: { disk: "none" }, containers: [{ name: "c", image: "web:1" }] },
    });
    await expect(cluster.condition(Pod, "hello-pod", "Ready", "True", { timeout: "1m" })).rejects.toThrow(
      /has no condition Ready=True within 60000 ms[\s\S]*recent events:\n {2}Warning FailedScheduling Pod\/hello-pod: 0\/1 nodes[\s\S]*the moon is full/,
    );
  });

  test("of a function ends with its last error or value", async () => {
    await using cluster = await testCluster();
    let tries = 0;
    const value = await cluster.eventually(() => {
      if (++tries < 2) cluster.client.create(ConfigMap, { metadata: { name: "x", namespace: "default" } });
      return cluster.get(ConfigMap, "x").catch(() => false as const);
    });
    expect(value.metadata?.name).toBe("x");
    await expect(
      cluster.eventually(() => {
        throw new Error("not yet");
      }),
    ).rejects.toThrow("the last attempt failed: not yet");
    await expect(cluster.eventually(async () => false)).rejects.toThrow("the last value was false");
  });
});

describe("time", () => {
  test("a day passes at once, with all that falls due in it", async () => {
    const reconciled: number[] = [];
    const hourly = defineController(ConfigMap, {
      name: "hourly",
      labelSelector: "hourly",
      reconcile: () => {
        reconciled.push(cluster.now());
        return { requeueAfter: 3_600_000 };
      },
    });
    await using cluster = await testCluster({ controllers: [hourly] });
    await cluster.create(ConfigMap, { metadata: { name: "a", labels: { hourly: "" } } });
    await cluster.settle();
    await cluster.advance("24h");
    expect(reconciled).toHaveLength(25);
  });

  test("several waits at once take turns", async () => {
    await using cluster = await testCluster(operator);
    await Promise.all([
      cluster.create(Greeting, hello),
      cluster.create(Greeting, { ...hello, name: "other" }),
      cluster.eventually(ConfigMap, "hello"),
      cluster.eventually(ConfigMap, "other"),
      cluster.advance("1m"),
    ]);
  });
});

describe("the manager", () => {
  const manager = defineManager({ name: "greeter", controllers: [greetingController], leaderElection: true });
  const options = { resources: [Greeting], manager };

  test("stopped in order gives its lease back; crashed it does not, and its successor waits for it", async () => {
    await using cluster = await testCluster(options);
    const holder = async () => (await cluster.get(Lease, "greeter")).spec?.holderIdentity;
    const first = await cluster.eventually(async () => (await holder()) ?? false);
    await cluster.restartManager();
    const second = await cluster.eventually(async () => {
      const current = await holder();
      return current !== undefined && current !== "" && current !== first ? current : false;
    });
    cluster.crashManager();
    const crashed = cluster.now();
    await cluster.startManager();
    await cluster.create(Greeting, hello);
    await cluster.eventually(ConfigMap, "hello");
    expect(await holder()).not.toBe(second);
    expect(cluster.now() - crashed).toBeGreaterThanOrEqual(10_000);
  });

  test("and controllers beside it are refused", async () => {
    await expect(testCluster({ ...options, controllers: [greetingController] })).rejects.toThrow(
      "give a manager, or controllers and webhooks, not both",
    );
  });
});

describe("what is left over at the end", () => {
  const waiting = {
    name: "big",
    spec: { nodeSelector: { disk: "none" }, containers: [{ name: "c", image: "web:1" }] },
  };

  test("a pod that waits and a watch that is open fail a suite that asks for it", async () => {
    const cluster = await testCluster({ leaks: "fail" });
    await cluster.create(Pod, waiting);
    const watch = cluster.client.watch(ConfigMap, { namespace: "default" });
    const next = watch.next();
    await cluster.settle();
    const closing = cluster.close();
    await expect(closing).rejects.toThrow(LeakError);
    await expect(closing).rejects.toThrow(
      /watch of configmaps default by kubewright is still open[\s\S]*pod default\/big is still pending: Unschedulable: 0\/1 nodes are available/,
    );
    await next;
  });

  test("is a warning by default", async () => {
    const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
    afterAll(() => warn.mockRestore());
    const cluster = await testCluster();
    await cluster.create(Pod, waiting);
    await cluster.close();
    expect(warn).toHaveBeenCalledWith(
      expect.stringContaining("pod default/big is still pending"),
      "KubewrightLeakWarning",
    );
  });

  test("nothing, when everything was closed", async () => {
    const cluster = await testCluster({ ...operator, leaks: "fail" });
    await cluster.create(Greeting, hello);
    await cluster.condition(Deployment, "hello", "Available");
    await cluster.close();
  });
});

test("clusters beside each other do not meet, and give the same hiscenario", async () => {
  const scenario = async () => {
    await using cluster = await testCluster(operator);
    await cluster.create(Greeting, hello);
    await cluster.condition(Deployment, "hello", "Available");
    return (await cluster.list(Pod)).map(
      ({ metadata }) => `${metadata?.name} ${metadata?.uid} ${metadata?.resourceVersion}`,
    );
  };
  const [one, other] = await Promise.all([scenario(), scenario()]);
  expect(one).toHaveLength(1);
  expect(other).toEqual(one);
});

describe("webhooks", () => {
  const webhook = defineWebhook(Greeting, {
    default: (greeting) => {
      greeting.spec.text = greeting.spec.text.trim();
    },
    validate: (greeting, ctx) => {
      if (greeting.spec.text === "bye") ctx.deny("a greeting does not say bye");
    },
  });
  const options = { ...operator, webhooks: [webhook] };

  test("are installed and called with no socket, in virtual time", async () => {
    await using cluster = await testCluster(options);
    const created = await cluster.create(Greeting, { name: "hello", spec: { text: "  hi " } });
    expect(created.spec.text).toBe("hi");
    await expect(cluster.create(Greeting, { name: "bye", spec: { text: "bye" } })).rejects.toThrow(
      "a greeting does not say bye",
    );
  });

  test("of a crashed manager are not answered, and of its successor they are", async () => {
    await using cluster = await testCluster(options);
    cluster.crashManager();
    await expect(cluster.create(Greeting, hello)).rejects.toThrow("failed calling webhook");
    await cluster.startManager();
    await cluster.create(Greeting, hello);
    await cluster.eventually(ConfigMap, "hello");
  });
});

describe("pods and nodes", () => {
  test("a killed pod is replaced", async () => {
    await using cluster = await testCluster(operator);
    await cluster.create(Greeting, hello);
    await cluster.condition(Deployment, "hello", "Available");
    const [first] = await cluster.list(Pod);
    await cluster.killPod(first?.metadata?.name ?? "");
    await cluster.eventually(async () => {
      const [pod] = await cluster.list(Pod);
      return (
        pod !== undefined && pod.metadata?.uid !== first?.metadata?.uid && pod.status?.phase === "Running"
      );
    });
  });

  test("a killed node is not ready until it comes back", async () => {
    await using cluster = await testCluster({ ...operator, nodes: 2 });
    const death = cluster.killNode("node-1");
    await cluster.condition(Node, "node-1", "Ready", "Unknown");
    death.remove();
    await cluster.condition(Node, "node-1", "Ready");
  });

  test("rules decide what becomes of containers", async () => {
    await using cluster = await testCluster({ ...operator, leaks: "ignore" });
    cluster.simulate({ image: "web:*" }, { neverReady: true });
    await cluster.create(Greeting, hello);
    await cluster.eventually(Deployment, "hello", ({ status }) => status?.replicas === 1);
    await cluster.consistently(
      async () => ((await cluster.get(Deployment, "hello")).status?.readyReplicas ?? 0) === 0,
      "5m",
    );
  });
});
