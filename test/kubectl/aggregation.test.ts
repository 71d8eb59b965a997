// A server behind the cluster, as kubectl sees it: found by discovery, asked through the API server, and missed when it is gone.
import { connect } from "node:tls";
import { createCertificateAuthority } from "@kubewright/api/x509";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stringify } from "yaml";
import {
  type Extension,
  startExtension,
} from "../../packages/apiserver/src/aggregation/fixtures/extension.js";
import { findKubectls, KubectlFixture } from "./kubectl.js";

const [kubectl] = findKubectls();
const name = "v1alpha1.wardle.example.com";

describe.skipIf(!kubectl)("a server behind the cluster", { timeout: 60_000 }, () => {
  let fixture: KubectlFixture;
  let extension: Extension;
  let port = 0;
  beforeAll(async () => {
    if (!kubectl) return;
    fixture = await KubectlFixture.start(kubectl);
    ({ port } = await fixture.cluster.listen());
    // It believes whom the cluster tells it to.
    const published = await fixture.ok(
      "get configmap -n kube-system extension-apiserver-authentication -o jsonpath={.data.requestheader-client-ca-file}",
    );
    const now = Date.now();
    const own = createCertificateAuthority({
      commonName: "own",
      notBefore: now - 1000,
      notAfter: now + 3_600_000,
    });
    extension = await startExtension({ ...own, certificate: published });
    const manifest = {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name, annotations: { "kubewright.dev/url": `https://127.0.0.1:${extension.port}` } },
      spec: {
        group: "wardle.example.com",
        version: "v1alpha1",
        groupPriorityMinimum: 2000,
        versionPriority: 15,
        insecureSkipTLSVerify: true,
        service: { namespace: "wardle", name: "api" },
      },
    };
    await fixture.ok("apply -f -", { input: stringify(manifest) });
    await fixture.ok(`wait --for=condition=Available apiservice/${name} --timeout=30s`);
  });
  afterAll(async () => {
    await extension?.close();
    await fixture?.close();
  });

  test("is listed with those that are served here", async () => {
    const lines = (await fixture.ok("get apiservices"))
      .split("\n")
      .map((line) => line.split(/\s+/).slice(0, 3));
    expect(lines).toContainEqual(["v1.", "Local", "True"]);
    expect(lines).toContainEqual(["v1.apps", "Local", "True"]);
    expect(lines).toContainEqual([name, "wardle/api", "True"]);
  });

  test("is found by its short names, read and watched", async () => {
    await expect
      .poll(() => fixture.ok("api-resources --api-group=wardle.example.com"), { timeout: 20_000 })
      .toContain("Flunder");
    expect(await fixture.ok("get fl -o name")).toBe("flunder.wardle.example.com/a\n");
    expect(await fixture.ok("get fl a -o jsonpath={.seen}")).toContain('"x-remote-user":"admin"');
    const watched = await fixture.run("get fl --watch-only -o name", { stopAfter: { text: "flunder" } });
    expect(watched.stdout).toContain("flunder.wardle.example.com/a");
  });

  test("takes over connections that are upgraded", async () => {
    const token = await fixture.ok("config view --raw -o jsonpath={.users[0].user.token}");
    const answer = await new Promise<string>((resolve, reject) => {
      let text = "";
      const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false }, () =>
        socket.write(
          `GET /apis/wardle.example.com/v1alpha1/connect HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n`,
        ),
      );
      socket.on("data", (chunk) => {
        text += chunk.toString();
        if (text.endsWith("\r\n\r\n")) socket.write("hello");
        if (text.endsWith("HELLO")) socket.end();
      });
      socket.on("close", () => resolve(text));
      socket.on("error", reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n/);
    expect(answer).toContain("X-Seen-User: admin\r\n");
    expect(answer).toMatch(/HELLO$/);
  });

  test("is missed when it is gone", async () => {
    await extension.close();
    const { code, stderr } = await fixture.run("get --raw /apis/wardle.example.com/v1alpha1/flunders");
    expect(code).toBe(1);
    expect(stderr).toContain("the server is currently unable to handle the request");
  });
});
