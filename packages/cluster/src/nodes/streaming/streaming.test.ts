import { request } from "node:https";
import { ConfigMap, Secret } from "@kubewright/api";
import { clientFromKubeConfig, parseKubeConfig } from "@kubewright/client";
import { describe, expect, test } from "vitest";
import { Simulation, shell } from "../fixtures/simulation.js";
import { rule } from "../rules/check-rule.js";

const namespace = "default";

async function exec(simulation: Simulation, command: readonly string[], options: object = {}) {
  const session = await simulation.cluster.client.pods.exec("p", command, { namespace, ...options });
  return session.output();
}

async function withFiles(simulation: Simulation): Promise<void> {
  const { client } = simulation.cluster;
  await client.create(ConfigMap, {
    metadata: { name: "settings", namespace },
    data: { "app.conf": "port=1\n", b: "B" },
  });
  await client.create(Secret, { metadata: { name: "keys", namespace }, stringData: { password: "s3cret" } });
  await simulation.run(
    {
      env: [
        { name: "PASSWORD", valueFrom: { secretKeyRef: { name: "keys", key: "password" } } },
        { name: "POD", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
        { name: "GREETING", value: "hello $(POD)" },
      ],
      volumeMounts: [
        { name: "settings", mountPath: "/etc/app" },
        { name: "keys", mountPath: "/keys" },
      ],
    },
    {
      volumes: [
        { name: "settings", configMap: { name: "settings" } },
        { name: "keys", secret: { secretName: "keys", items: [{ key: "password", path: "db/password" }] } },
      ],
    },
  );
}

describe("exec in a simulated container", () => {
  test.each([
    { command: ["echo", "a", "b"], stdout: "a b\n", exitCode: 0 },
    { command: ["hostname"], stdout: "p\n", exitCode: 0 },
    { command: ["cat", "/etc/app/app.conf"], stdout: "port=1\n", exitCode: 0 },
    { command: ["cat", "/keys/db/password"], stdout: "s3cret", exitCode: 0 },
    { command: ["ls", "/etc/app/"], stdout: "app.conf\nb\n", exitCode: 0 },
    { command: ["printenv", "PASSWORD"], stdout: "s3cret\n", exitCode: 0 },
    { command: ["sh", "-c", "echo \"$GREETING\" '$POD'; exit 3"], stdout: "hello p $POD\n", exitCode: 3 },
    { command: ["sh", "-c", "false || echo else && false; echo $?"], stdout: "else\n1\n", exitCode: 0 },
    { command: ["false"], stdout: "", exitCode: 1 },
  ])("$command", async ({ command, stdout, exitCode }) => {
    await using simulation = await Simulation.start();
    await withFiles(simulation);
    expect(await exec(simulation, command)).toEqual({ stdout, stderr: "", exitCode });
  });

  test.each([
    {
      command: ["cat", "/nowhere"],
      stderr: "cat: can't open '/nowhere': No such file or directory\n",
      exitCode: 1,
    },
    { command: ["psql"], stderr: expect.stringContaining("psql: not found"), exitCode: 127 },
    { command: ["sh", "-c", "echo 'a"], stderr: expect.stringContaining("unterminated"), exitCode: 2 },
  ])("$command fails", async ({ command, stderr, exitCode }) => {
    await using simulation = await Simulation.start();
    await simulation.run();
    expect(await exec(simulation, command)).toEqual({ stdout: "", stderr, exitCode });
  });
});

test("exec: input of the client reaches the program, and its end too", async () => {
  await using simulation = await Simulation.start();
  await simulation.run();
  const session = await simulation.cluster.client.pods.exec("p", ["cat"], { namespace, stdin: true });
  await session.write("one\n");
  await session.write("two\n");
  await session.end();
  expect(await session.output()).toEqual({ stdout: "one\ntwo\n", stderr: "", exitCode: 0 });
});

test("exec: a shell in a terminal echoes its input, and can be left", async () => {
  await using simulation = await Simulation.start();
  await simulation.run();
  const options = { namespace, stdin: true, tty: true };
  const session = await simulation.cluster.client.pods.exec("p", ["sh"], options);
  await session.write("hostnamx\x7fe\rexit 5\r");
  const { stdout, exitCode } = await session.output();
  expect(stdout).toBe("$ hostnamx\b \be\r\np\n$ exit 5\r\n");
  expect(exitCode).toBe(5);
});

test("exec: a program knows the size of the terminal", async () => {
  await using simulation = await Simulation.start();
  await simulation.run();
  const options = { namespace, stdin: true, tty: true };
  const session = await simulation.cluster.client.pods.exec("p", ["sh"], options);
  await session.resize({ width: 132, height: 50 });
  await session.write("stty size\rexit\r");
  expect((await session.output()).stdout).toContain("\n50 132\n");
});

test("exec: a rule runs programs of its own, and leaves others to the simulation", async () => {
  await using simulation = await Simulation.start({
    rules: [
      rule(
        { container: "c" },
        {
          exec: async ({ command, stdout, stderr }) => {
            if (command[0] !== "psql") return undefined;
            await stdout("1 row\n");
            await stderr("careful\n");
            return 9;
          },
        },
      ),
    ],
  });
  await simulation.run();
  expect(await exec(simulation, ["psql"])).toEqual({ stdout: "1 row\n", stderr: "careful\n", exitCode: 9 });
  expect(await exec(simulation, ["echo", "x"])).toMatchObject({ stdout: "x\n" });
});

test("attach: streams what the container writes from then on", async () => {
  await using simulation = await Simulation.start();
  await simulation.run(shell("echo before; sleep 5; echo after"), { restartPolicy: "Never" });
  const session = await simulation.cluster.client.pods.attach("p", { namespace });
  const output = session.output();
  await simulation.after(5);
  expect(await output).toEqual({ stdout: "after\n", stderr: "", exitCode: 0 });
});

test("exec: is refused where the container does not run", async () => {
  await using simulation = await Simulation.start();
  await simulation.run({ image: "does-not-exist" });
  await expect(exec(simulation, ["true"])).rejects.toThrow('container not found ("c")');
});

describe("port-forward to a simulated pod", () => {
  async function ask(simulation: Simulation, request: string, port = 8080): Promise<string> {
    const stream = await simulation.cluster.client.pods.portForward("p", port, { namespace });
    stream.write(request);
    let text = "";
    for await (const chunk of stream) text += chunk;
    return text;
  }

  test("is answered with the name of the pod", async () => {
    await using simulation = await Simulation.start();
    await simulation.run();
    const answer = await ask(simulation, "GET /health HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).toContain("pod default/p, port 8080: GET /health HTTP/1.1\n");
  });

  test("is answered as a rule says", async () => {
    await using simulation = await Simulation.start({
      rules: [
        rule(
          {},
          {
            portForward: async ({ port, received, send }) => {
              if (port === 1) throw new Error("connection refused");
              for await (const chunk of received) return send(`${port}: ${Buffer.from(chunk)}`);
            },
          },
        ),
      ],
    });
    await simulation.run();
    expect(await ask(simulation, "ping", 6379)).toBe("6379: ping");
    await expect(ask(simulation, "ping", 1)).rejects.toThrow("connection refused");
  });
});

test("streams: work over TLS too, and end with the listener", async () => {
  await using simulation = await Simulation.start();
  await simulation.run();
  const { kubeconfig } = await simulation.cluster.listen();
  await using client = clientFromKubeConfig(await parseKubeConfig(kubeconfig, "kubeconfig"));
  const session = await client.pods.exec("p", ["sh", "-c", "hostname; exit 4"], { namespace });
  expect(await session.output()).toEqual({ stdout: "p\n", stderr: "", exitCode: 4 });
  await expect(client.pods.exec("nobody", ["true"], { namespace })).rejects.toThrow(/not found/);
  const open = await client.pods.exec("p", ["cat"], { namespace, stdin: true });
  await simulation.cluster.close();
  await expect(open.exitCode).rejects.toThrow();
});

describe("streams: the response to an upgrade", () => {
  const key = "dGhlIHNhbXBsZSBub25jZQ==";
  const webSocket = { "sec-websocket-key": key, "sec-websocket-version": "13" };

  test.each<[what: string, path: string, headers: Record<string, string>, line: RegExp]>([
    [
      "version 5",
      "exec?command=true&stdout=1",
      { "sec-websocket-protocol": "v5.channel.k8s.io" },
      /^101 v5\.channel\.k8s\.io$/,
    ],
    [
      "of several the one named first",
      "exec?command=true&stdout=1",
      { "sec-websocket-protocol": "channel.k8s.io, v4.channel.k8s.io" },
      /^101 channel\.k8s\.io$/,
    ],
    [
      "version 5 wherever it stands",
      "exec?command=true&stdout=1",
      { "sec-websocket-protocol": "v4.channel.k8s.io, v5.channel.k8s.io" },
      /^101 v5\.channel\.k8s\.io$/,
    ],
    ["the first protocol, which needs no name", "exec?command=true&stdout=1", {}, /^101 $/],
    [
      "a protocol nobody speaks",
      "exec?command=true",
      { "sec-websocket-protocol": "v9.channel.k8s.io" },
      /^403 .*there are: v5/,
    ],
    [
      "ports have no version 5",
      "portforward?ports=80",
      { "sec-websocket-protocol": "v5.channel.k8s.io" },
      /^403 /,
    ],
    ["a log", "log", { "sec-websocket-protocol": "binary.k8s.io" }, /^101 binary\.k8s\.io$/],
    [
      "a log over channels, of which it has none",
      "log",
      { "sec-websocket-protocol": "v4.channel.k8s.io" },
      /^403 /,
    ],
    [
      "another WebSocket",
      "exec?command=true&stdout=1",
      { "sec-websocket-version": "8" },
      /^400 13 missing or bad WebSocket Version$/,
    ],
    ["another protocol", "exec?command=true", { upgrade: "h2c" }, /^400 .*Upgrade request required/],
    [
      "old SPDY",
      "exec?command=true",
      { upgrade: "SPDY/3.1", "x-stream-protocol-version": "channel.k8s.io" },
      /^403 .*unable to negotiate protocol: client supports \[channel\.k8s\.io\]/,
    ],
  ])("%s", async (_, path, headers, line) => {
    await using simulation = await Simulation.start();
    await simulation.run();
    const { port, kubeconfig } = await simulation.cluster.listen();
    const token = /token: "(.*)"/.exec(kubeconfig)?.[1];
    const answered = await new Promise<string>((resolve, reject) => {
      const sent = request({
        rejectUnauthorized: false,
        host: "127.0.0.1",
        port,
        path: `/api/v1/namespaces/${namespace}/pods/p/${path}`,
        agent: false,
        headers: {
          authorization: `Bearer ${token}`,
          connection: "Upgrade",
          upgrade: "websocket",
          ...webSocket,
          ...headers,
        },
      });
      sent.on("upgrade", (response, socket) => {
        socket.destroy();
        resolve(`101 ${response.headers["sec-websocket-protocol"] ?? ""}`);
      });
      sent.on("response", (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => {
          text += chunk.toString();
        });
        const version = response.headers["sec-websocket-version"];
        response.on("end", () => resolve([response.statusCode, version, text].filter(Boolean).join(" ")));
      });
      sent.on("error", reject);
      sent.end();
    });
    expect(answered).toMatch(line);
  });
});
