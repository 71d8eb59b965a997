// What a page says when something is in the way, and how it recovers: the cluster ends, a permission is missing, a token expires.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AdjustableClock, ClusterRole, ClusterRoleBinding, ConfigMap, ServiceAccount } from "@kubewright/api";
import { clientFromKubeConfig, loadKubeConfig } from "@kubewright/client";
import { type Cluster, startCluster } from "@kubewright/cluster";
import { serveDashboard } from "@kubewright/dashboard";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serveSignInDashboard } from "../../packages/dashboard/src/serve-dashboard.js";
// @ts-expect-error a script without types
import { buildPage } from "../../scripts/build-page.mjs";
import { browserPath, hasBrowser, openBrowser, openPage } from "./fixture.js";

if (!hasBrowser)
  console.warn(`skipped: there is no browser at ${browserPath}; install chromium, or set CHROMIUM`);

describe.skipIf(!hasBrowser)("the dashboard in trouble", { timeout: 60_000 }, () => {
  let browser: Browser;
  let folder: string;
  let cluster: Cluster;
  let port = 0;
  const namespace = "default";
  const facts = { server: "test", version: "v1.36" };
  const kubeconfig = (): string => join(folder, "kubeconfig");

  const startOnDisk = async (): Promise<void> => {
    cluster = await startCluster({ nodes: 0, controllers: "none", dataDir: join(folder, "data") });
    const endpoint = await cluster.listen({ port });
    port = endpoint.port;
    writeFileSync(kubeconfig(), endpoint.kubeconfig);
  };
  const connect = async (token?: string) => {
    const config = await loadKubeConfig({ path: kubeconfig() });
    const users = new Map(
      [...config.users].map(([name, user]) => [name, token === undefined ? user : { token }]),
    );
    return clientFromKubeConfig({ ...config, users });
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "kubewright-trouble-"));
    [browser] = await Promise.all([openBrowser(), buildPage(join(folder, "page")), startOnDisk()]);
    await cluster.client.create(ConfigMap, { metadata: { name: "first", namespace }, data: {} });
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await cluster?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test("a cluster that ends is named on the page, and what it says when it is back is shown", async () => {
    const client = await connect();
    const dashboard = await serveDashboard({ client, ...facts, page: join(folder, "page") });
    const { page, problems } = await openPage(browser, dashboard.url);
    await page.evaluate("location.hash = '#/resources/-/v1/configmaps'");
    await page.getByRole("link", { name: "first" }).waitFor();
    await cluster.close();
    await page.getByText(/The cluster does not answer, trying again/).waitFor({ timeout: 30_000 });
    await startOnDisk();
    await cluster.client.create(ConfigMap, { metadata: { name: "second", namespace }, data: {} });
    await page.getByRole("link", { name: "second" }).waitFor({ timeout: 45_000 });
    await page.getByText(/The cluster does not answer/).waitFor({ state: "detached", timeout: 45_000 });
    expect(problems).toEqual([]);
    await page.close();
    await dashboard.close();
    await client.close();
  });

  test("kinds that may not be read are named, a table says why, and the rest is shown", async () => {
    await grant("reader", [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch"] }]);
    const { status } = await cluster.client.createToken("reader", {}, { namespace });
    const client = await connect(status?.token);
    const dashboard = await serveDashboard({ client, ...facts, page: join(folder, "page") });
    const { page, problems } = await openPage(browser, dashboard.url);
    await page.getByText("Forbidden:", { exact: true }).waitFor();
    expect(await page.locator(".failing").innerText()).toMatch(/Pod/);
    expect(await page.locator(".failing").innerText()).not.toMatch(/ConfigMap/);
    await page.evaluate("location.hash = '#/resources/-/v1/pods'");
    await page
      .getByText(/pods is forbidden: User "system:serviceaccount:default:reader"/)
      .first()
      .waitFor();
    await page.evaluate("location.hash = '#/resources/-/v1/configmaps'");
    await page.getByRole("link", { name: "first" }).waitFor();
    expect(problems).toEqual([]);
    await page.close();
    await dashboard.close();
    await client.close();
  });

  test("people sign in by a form, and again when their token is no longer good", async () => {
    await grant("person", [
      { nonResourceURLs: ["/dashboard"], verbs: ["get"] },
      { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch"] },
    ]);
    const config = await loadKubeConfig({ path: kubeconfig() });
    const clock = new AdjustableClock();
    const dashboard = await serveSignInDashboard({
      ...facts,
      clock,
      page: join(folder, "page"),
      follows: ({ plural }) => plural === "configmaps" || plural === "pods",
      connect: (token) =>
        clientFromKubeConfig({
          ...config,
          users: new Map([...config.users].map(([name]) => [name, { token }])),
        }),
    });
    const { page, problems } = await openPage(browser, dashboard.url);
    const signIn = async (token: string | undefined): Promise<void> => {
      await page.getByLabel("Token").fill(token ?? "");
      await page.getByRole("button", { name: "Sign in" }).click();
    };
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    expect(await page.getByRole("alert").count(), "nothing is wrong yet").toBe(0);
    await signIn("wrong");
    await page.getByText(/does not accept the token/).waitFor();
    await signIn((await cluster.client.createToken("person", {}, { namespace })).status?.token);
    await page.getByText("Forbidden:", { exact: true }).waitFor();
    await page.evaluate("location.hash = '#/resources/-/v1/configmaps'");
    await page.getByRole("link", { name: "first" }).waitFor();
    await cluster.client.delete(ServiceAccount, "person", { namespace });
    await cluster.client.create(ServiceAccount, { metadata: { name: "person", namespace } });
    await clock.advance(61_000);
    await page.getByText(/it is wrong, or it has expired/).waitFor();
    await signIn((await cluster.client.createToken("person", {}, { namespace })).status?.token);
    await page.getByRole("link", { name: "first" }).waitFor();
    await page.evaluate("location.hash = '#/cluster'");
    await page.getByText("Apply YAML").waitFor();
    expect(await page.getByText("Snapshots").count(), "controls the cluster lacks").toBe(0);
    expect(problems).toEqual([]);
    await page.close();
    await dashboard.close();
  });

  async function grant(name: string, rules: ClusterRole["rules"]): Promise<void> {
    const { client } = cluster;
    await client.create(ServiceAccount, { metadata: { name, namespace } });
    await client.create(ClusterRole, { metadata: { name }, rules });
    await client.create(ClusterRoleBinding, {
      metadata: { name },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
      subjects: [{ kind: "ServiceAccount", name, namespace }],
    });
  }
});
