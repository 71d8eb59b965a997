import { describe, expect, it } from "vitest";
import { rewriteHtml, rewriteLink } from "./rewrite-links.js";

const context = {
  prefix: "/api/v1/namespaces/a/pods/p/proxy",
  host: "10.0.0.1:80",
  requestHost: "localhost:8001",
};
const prefix = context.prefix;

describe("links behind a proxy", () => {
  it.each([
    ["/a/b", `${prefix}/a/b`],
    ["/a/", `${prefix}/a/`],
    ["/", `${prefix}/`],
    ["/a?x=/y#z", `${prefix}/a?x=/y#z`],
    ["http://10.0.0.1:80/a", `${prefix}/a`],
    ["http://localhost:8001/a", `http://localhost:8001${prefix}/a`],
    [`${prefix}/a`, `${prefix}/a`],
    ["a/b", "a/b"],
    ["../b", "../b"],
    ["http://elsewhere.example/a", "http://elsewhere.example/a"],
    ["//elsewhere.example/a", "//elsewhere.example/a"],
    ["mailto:a@b.example", "mailto:a@b.example"],
    ["#top", "#top"],
    ["", ""],
  ])("%j becomes %j", (link, rewritten) => {
    expect(rewriteLink(link, context)).toBe(rewritten);
  });

  it.each([
    ['<a href="/x">/y</a>', `<a href="${prefix}/x">/y</a>`],
    ["<A HREF='/x' class=b>", `<A HREF='${prefix}/x' class=b>`],
    ["<img alt=it's src=/x.png>", `<img alt=it's src=${prefix}/x.png>`],
    [
      '<script src = "/x.js">var a = \'<a href="/y">\';</script><a href=/z>',
      `<script src = "${prefix}/x.js">var a = '<a href="/y">';</script><a href=${prefix}/z>`,
    ],
    ['<!-- <a href="/x"> --><b href="/y">', '<!-- <a href="/x"> --><b href="/y">'],
    ['<link rel="icon" href="/f.ico"/>', `<link rel="icon" href="${prefix}/f.ico"/>`],
    [
      '<form action="/go"><input formaction="/stop">',
      `<form action="${prefix}/go"><input formaction="${prefix}/stop">`,
    ],
    ['<a href="/x', '<a href="/x'],
    ["1 < 2 and <a href", "1 < 2 and <a href"],
    ["<!-- never closed <a href=/x>", "<!-- never closed <a href=/x>"],
  ])("in %j", (html, rewritten) => {
    expect(rewriteHtml(html, context)).toBe(rewritten);
  });

  it.each(["<a ", "<!--", '<a x="', "<a ='", "<script>", "<a href=", "< ", "<a b c"])(
    "a long page of %j takes a moment only",
    (piece) => {
      const started = performance.now();
      rewriteHtml(piece.repeat(200_000), context);
      expect(performance.now() - started).toBeLessThan(3000);
    },
  );
});
