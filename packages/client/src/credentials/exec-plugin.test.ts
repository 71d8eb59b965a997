import { VirtualClock } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import type { ExecConfig } from "../kubeconfig/kubeconfig.js";
import { type ExecPluginOptions, execCredentials } from "./exec-plugin.js";

const version = "client.authentication.k8s.io/v1";

/** A plugin that is a line of JavaScript. */
function plugin(script: string, options: Partial<ExecConfig> = {}): ExecConfig {
  return {
    apiVersion: version,
    command: process.execPath,
    args: ["-e", script],
    env: {},
    provideClusterInfo: false,
    interactiveMode: "Never",
    ...options,
  };
}

const issue = (status: string, apiVersion = version): string =>
  `console.log(JSON.stringify({apiVersion:${JSON.stringify(apiVersion)},kind:"ExecCredential",status:${status}}))`;

function credentials(script: string, options: Partial<ExecPluginOptions> = {}) {
  return execCredentials({ config: plugin(script), ...options });
}

describe("an exec plugin", () => {
  it("issues a token", async () => {
    expect(await credentials(issue('{token:"t0ken"}')).current()).toEqual({
      headers: { authorization: "Bearer t0ken" },
    });
  });

  it("issues a certificate", async () => {
    const source = credentials(issue('{clientCertificateData:"C",clientKeyData:"K"}'));
    expect(await source.current()).toEqual({ certificate: { cert: "C", key: "K" } });
  });

  it("receives its version, whether it may ask a person, and the cluster if it wants it", async () => {
    const script = issue(
      "{token: process.env.KUBERNETES_EXEC_INFO + process.env.REGION + process.env.INHERITED}",
    );
    const config = plugin(script, { provideClusterInfo: true, env: { REGION: "eu" } });
    const cluster = async () => ({ server: "https://x", config: { audience: "a" }, "proxy-url": undefined });
    const source = execCredentials({ config, cluster, env: { INHERITED: "yes" } });
    const info = JSON.stringify({
      apiVersion: version,
      kind: "ExecCredential",
      spec: { interactive: false, cluster: { server: "https://x", config: { audience: "a" } } },
    });
    expect((await source.current()).headers?.["authorization"]).toBe(`Bearer ${info}euyes`);
  });

  it("does not receive the cluster when it does not want it", async () => {
    const source = credentials(issue("{token: process.env.KUBERNETES_EXEC_INFO}"), {
      cluster: async () => ({ server: "https://x" }),
    });
    expect((await source.current()).headers?.["authorization"]).not.toContain("https://x");
  });

  it("is run once for calls at once, and not again until what it issued expires", async () => {
    const clock = new VirtualClock({ start: Date.UTC(2026, 0, 1) });
    const script = issue('{token:String(Math.random()),expirationTimestamp:"2026-01-01T00:10:00Z"}');
    const source = credentials(script, { clock });
    const [a, b] = await Promise.all([source.current(), source.current()]);
    expect(a).toBe(b);
    await clock.advance(599_000);
    expect(await source.current()).toBe(a);
    await clock.advance(1_000);
    expect(await source.current()).not.toEqual(a);
  });

  it("is run again when the server refuses what it issued, once for all who were refused", async () => {
    const source = credentials(issue("{token:String(Math.random())}"));
    const old = await source.current();
    expect(await Promise.all([source.renew!(old), source.renew!(old)])).toEqual([true, true]);
    const fresh = await source.current();
    expect(fresh).not.toEqual(old);
    await source.renew!(old);
    expect(await source.current()).toBe(fresh);
  });

  it("of version v1beta1 works too, and must answer in its version", async () => {
    const beta = "client.authentication.k8s.io/v1beta1";
    const config = plugin(issue('{token:"a"}', beta), { apiVersion: beta });
    expect(await execCredentials({ config }).current()).toMatchObject({
      headers: { authorization: "Bearer a" },
    });
    const other = plugin(issue('{token:"a"}', version), { apiVersion: beta });
    await expect(execCredentials({ config: other }).current()).rejects.toThrow(`it must answer in ${beta}`);
  });

  const faults: [string, string, string][] = [
    ["prints rubbish", "console.log('hello s3cret')", "what it printed is not JSON"],
    ["prints something else", 'console.log(\'{"kind":"Pod"}\')', "is not an ExecCredential with a status"],
    ["issues nothing", issue("{}"), "it issued neither a token nor a certificate"],
    ["issues half a certificate", issue('{clientKeyData:"s3cret"}'), "a certificate without its key"],
    [
      "does not say when",
      issue('{token:"s3cret",expirationTimestamp:"soon"}'),
      "expirationTimestamp is not a time",
    ],
    ["fails", "console.error('please log in'); process.exit(3)", "failed with exit code 3: please log in"],
    [
      "fails and says too much",
      "console.error('token s3cret-eyJhbGciOiJSUzI1NiIsImtpZCI6IjEyMzQ1Njc4OTAifQ.x.y bad'); process.exit(1)",
      "failed with exit code 1: token … bad",
    ],
  ];

  it.each(faults)("that %s is reported, without its output", async (_what, script, message) => {
    const failure = credentials(script).current();
    await expect(failure).rejects.toMatchObject({ name: "ConfigError" });
    await expect(failure).rejects.toThrow(message);
    await expect(failure).rejects.not.toThrow("s3cret");
  });

  it("that is missing is reported with its install hint", async () => {
    const config = plugin("", {
      command: "kubelogin-that-is-not-there",
      installHint: "brew install kubelogin",
    });
    await expect(execCredentials({ config }).current()).rejects.toThrow(
      "exec plugin kubelogin-that-is-not-there: there is no such program; brew install kubelogin",
    );
  });

  it("that never ends is ended", async () => {
    const source = credentials("setInterval(() => {}, 1000)", { timeout: 100 });
    await expect(source.current()).rejects.toThrow("took longer than 100 ms");
  });

  it("that failed is run again at the next call", async () => {
    const source = credentials("process.exit(1)");
    await expect(source.current()).rejects.toThrow("exit code 1");
    await expect(source.current()).rejects.toThrow("exit code 1");
  });
});
