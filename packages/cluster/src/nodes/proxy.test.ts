import { type Pod, Service, type TransportRequest, type TransportResponse } from "@kubewright/api";
import { admin } from "@kubewright/apiserver";
import { describe, expect, test } from "vitest";
import { Simulation } from "./fixtures/simulation.js";
import { rule } from "./rules/check-rule.js";

const core = "/api/v1/namespaces/default";

async function ask(
  { cluster }: Simulation,
  path: string,
  request: Partial<TransportRequest> = {},
): Promise<{ status: number; text: string }> {
  const response = await cluster.server.handle({ method: "GET", ...request, path }, { user: admin });
  return { status: response.status, text: await textOf(response) };
}

async function textOf({ body }: TransportResponse): Promise<string> {
  if (body.kind === "object") return JSON.stringify(body.value);
  if (body.kind === "bytes") return Buffer.from(body.bytes).toString();
  let text = "";
  if (body.kind === "stream") for await (const chunk of body.chunks) text += Buffer.from(chunk).toString();
  return text;
}

const labels = { app: "web" };
const ports = [{ containerPort: 8080 }];

describe("proxies on simulated nodes", () => {
  test("the one to a pod shows what answers at its port", async () => {
    await using simulation = await Simulation.start();
    await simulation.run({ ports });
    expect(await ask(simulation, `${core}/pods/p/proxy/a`)).toEqual({
      status: 200,
      text: "pod default/p, port 8080: GET /a HTTP/1.1\n",
    });
  });

  test("or the text that a rule has for the container at the port", async () => {
    const answering = rule({ image: "whoami:*" }, { answers: "$(POD_NAME) in $(POD_NAMESPACE)" });
    await using simulation = await Simulation.start({ rules: [answering] });
    const other = { name: "other", image: "other:1", ports: [{ containerPort: 9090 }] };
    await simulation.run({ image: "whoami:1", ports }, { containers: [other] });
    const path = (port: number): string => `${core}/pods/p:${port}/proxy/`;
    expect(await ask(simulation, path(8080))).toEqual({ status: 200, text: "p in default" });
    expect((await ask(simulation, path(9090))).text).toBe("pod default/p, port 9090: GET / HTTP/1.1\n");
  });

  test("or what a rule has there", async () => {
    const answering = rule(
      {},
      {
        portForward: async ({ received, send }) => {
          for await (const chunk of received) {
            const [line = ""] = Buffer.from(chunk).toString().split("\r\n");
            return send(`HTTP/1.1 201 Created\r\ncontent-length: ${line.length}\r\n\r\n${line}`);
          }
        },
      },
    );
    await using simulation = await Simulation.start({ rules: [answering] });
    await simulation.run({ ports });
    const body = { kind: "bytes", bytes: Buffer.from("x") } as const;
    expect(await ask(simulation, `${core}/pods/p/proxy/a`, { method: "POST", body })).toEqual({
      status: 201,
      text: "POST /a HTTP/1.1",
    });
  });

  test("the one to a Service leads to a ready pod behind it", async () => {
    await using simulation = await Simulation.start();
    const { client } = simulation.cluster;
    const spec = { selector: labels, ports: [{ name: "http", port: 80, targetPort: 8080 }] };
    await client.create(Service, { metadata: { name: "s", namespace: "default" }, spec });
    await simulation.clock.settle();
    expect(await ask(simulation, `${core}/services/s:80/proxy/`)).toMatchObject({ status: 503 });
    await simulation.run({ ports }, {}, labels);
    expect(await ask(simulation, `${core}/services/s:80/proxy/b`)).toEqual({
      status: 200,
      text: "pod default/p, port 8080: GET /b HTTP/1.1\n",
    });
    expect(await ask(simulation, `${core}/services/http:s:http/proxy/b`)).toMatchObject({ status: 200 });
  });

  test("nobody listens in a pod that does not run", async () => {
    await using simulation = await Simulation.start();
    const { status } = await simulation.run({ ports, command: ["true"] }, { restartPolicy: "Never" });
    expect(status?.phase).toBe("Succeeded");
    const { status: code, text } = await ask(simulation, `${core}/pods/p/proxy/`);
    expect(code).toBe(503);
    expect(text).toContain(`dial tcp ${status?.podIP}:8080: connect: connection refused`);
  });

  test("the one to a node shows its kubelet: health, pods and their logs", async () => {
    await using simulation = await Simulation.start();
    const { spec } = await simulation.run({ command: ["sh", "-c", "echo hello; sleep 1d"] });
    const node = `/api/v1/nodes/${spec?.nodeName}/proxy`;
    expect(await ask(simulation, `${node}/healthz`)).toEqual({ status: 200, text: "ok" });
    const { text } = await ask(simulation, `${node}/pods`);
    const list = JSON.parse(text) as { kind: string; items: Pod[] };
    expect(list.kind).toBe("PodList");
    expect(list.items.map(({ metadata }) => metadata?.name)).toEqual(["p"]);
    expect(await ask(simulation, `${node}/containerLogs/default/p/c`)).toEqual({
      status: 200,
      text: "hello\n",
    });
    expect(await ask(simulation, `${node}/containerLogs/default/q/c`)).toMatchObject({ status: 404 });
    expect(await ask(simulation, `${node}/logs/`)).toMatchObject({ status: 200 });
    expect(await ask(simulation, `${node}/nope`)).toEqual({ status: 404, text: "404 page not found\n" });
  });
});
