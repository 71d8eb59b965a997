// `npm run docs:links` needs the Internet, and tests have none: here are its answers to what may happen.
import { describe, expect, test } from "vitest";
// @ts-expect-error a script without types
import { checkLinks, linkedAddresses, summaryOf } from "../../site/check-links.mjs";

type Answer = number | Error;
const check = async (answers: Readonly<Record<string, Answer>>) => {
  const fetchPage = async (address: string) => {
    const answer = answers[address] ?? 404;
    if (answer instanceof Error) throw answer;
    return new Response(null, { status: answer });
  };
  const result = await checkLinks(Object.keys(answers), fetchPage);
  return { result, ...summaryOf(result) } as { result: unknown; text: string; isGood: boolean };
};
const offline = new TypeError("fetch failed", { cause: new Error("getaddrinfo EAI_AGAIN") });

describe("npm run docs:links", () => {
  test("passes when every address answers", async () => {
    const { isGood, text } = await check({ a: 200, b: 200 });
    expect([isGood, text]).toEqual([true, expect.stringContaining("2 addresses: 2 answer, 0 do not")]);
  });

  test.each<[string, Answer]>([
    ["is gone", 404],
    ["fails", 503],
    ["cannot be reached", offline],
  ])("fails when an address %s", async (_, answer) => {
    const { isGood, result } = await check({ a: 200, b: answer });
    expect([isGood, result]).toMatchObject([false, { problems: [{ address: "b" }] }]);
  });

  test("counts addresses out loud whose servers refuse programs", async () => {
    const { isGood, text } = await check({ a: 200, b: 403, c: 429 });
    expect([isGood, text]).toEqual([true, expect.stringContaining("2 refuse programs and were not checked")]);
  });

  test.each<[string, Readonly<Record<string, Answer>>]>([
    ["without a network", { a: offline, b: offline }],
    ["behind a proxy that refuses everything", { a: 403, b: 403 }],
    ["without any address", {}],
  ])("fails %s, since nothing was checked", async (_, answers) => {
    const { isGood, text } = await check(answers);
    expect([isGood, text]).toEqual([false, expect.stringContaining("Nothing was checked")]);
  });

  test("finds the addresses of the documentation, each with its pages", () => {
    const places: ReadonlyMap<string, readonly string[]> = linkedAddresses();
    expect(places.get("https://zod.dev")).toContain("docs/guides/resources.md");
  });
});
