import { request } from "node:https";
import { VirtualClock } from "@kubewright/api";
import { expect, test } from "vitest";
import { startCluster } from "./cluster.js";

interface Answer {
  readonly status: number | undefined;
  readonly text: string;
  readonly isWhole: boolean;
}

const get = (url: string, token: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    const sent = request(url, { rejectUnauthorized: false, agent: false, headers }, (answer) => {
      let text = "";
      answer.on("data", (chunk) => (text += chunk));
      answer.on("error", reject);
      answer.on("close", () => resolve({ status: answer.statusCode, text, isWhole: answer.complete }));
    });
    sent.on("error", reject);
    sent.end();
  });

const options = { controllers: "none", nodes: 0 } as const;

test("shutdown: a cluster is not ready first, serves for shutdownDelay, and ends watches in order", async () => {
  const clock = new VirtualClock();
  const cluster = await startCluster({ ...options, clock, shutdownDelay: 1000 });
  const { url, kubeconfig } = await cluster.listen();
  const token = /token: "(.*)"/.exec(kubeconfig)?.[1] ?? "";
  const watch = get(`${url}/api/v1/namespaces?watch=true`, token);
  expect((await get(`${url}/readyz`, token)).status).toBe(200);
  const closed = cluster.close();
  expect((await get(`${url}/readyz`, token)).status).toBe(500);
  expect((await get(`${url}/livez`, token)).status).toBe(200);
  expect((await get(`${url}/api/v1/namespaces/default`, token)).status).toBe(200);
  await clock.advance(1000);
  await closed;
  expect(await watch).toMatchObject({ status: 200, isWhole: true, text: expect.stringContaining("ADDED") });
  await expect(get(`${url}/readyz`, token)).rejects.toThrow("ECONNREFUSED");
});
