import type { KubeObject, Pod } from "@kubewright/api";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { keyOf } from "./object-key.js";
import { Store } from "./store.js";

function pod(name: string, namespace: string, labels: Record<string, string> = {}, nodeName?: string): Pod {
  return { metadata: { name, namespace, labels }, spec: { nodeName, containers: [] } };
}

function filled() {
  const store = new Store<Pod>();
  const add = (object: Pod) =>
    store.set(keyOf(object.metadata?.name ?? "", object.metadata?.namespace), object);
  add(pod("a", "shop", { app: "web" }, "n1"));
  add(pod("b", "shop", { app: "db" }, "n1"));
  add(pod("c", "lab", { app: "web" }, "n2"));
  add(pod("d", "lab"));
  return { store, add };
}

const names = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata?.name).join("");

describe("listing an informer store", () => {
  const queries: [object, string][] = [
    [{}, "abcd"],
    [{ namespace: "shop" }, "ab"],
    [{ labelSelector: "app=web" }, "ac"],
    [{ labelSelector: "app in (web,db)", namespace: "shop" }, "ab"],
    [{ labelSelector: { matchExpressions: [{ key: "app", operator: "DoesNotExist" }] } }, "d"],
    [{ fieldSelector: "spec.nodeName=n1" }, "ab"],
    [{ fieldSelector: "spec.nodeName!=n1" }, "cd"],
    [{ fieldSelector: "spec.nodeName=" }, "d"],
    [{ fieldSelector: "metadata.name=c" }, "c"],
    [{ fieldSelector: "spec.hostNetwork=false" }, "abcd"],
    [{ labelSelector: "app=web", fieldSelector: "spec.nodeName=n2", namespace: "lab" }, "c"],
    [{ namespace: "nowhere" }, ""],
  ];
  test.each(queries)("%j gives %s, with indexes or without", (query, expected) => {
    const { store, add } = filled();
    expect(names(store.list(query))).toBe(expected);
    store.indexLabel("app");
    store.indexField("spec.nodeName");
    store.indexField("spec.hostNetwork");
    expect(names(store.list(query))).toBe(expected);
    add(pod("z", "shop", { app: "web" }, "n1"));
    store.delete("shop/z");
    expect(names(store.list(query))).toBe(expected);
  });
});

describe("an index of an informer store", () => {
  test("finds objects under every value its function gives, as they change", () => {
    const { store, add } = filled();
    store.addIndex("words", ({ metadata }) => Object.entries(metadata?.labels ?? {}).flat());
    expect(names(store.byIndex("words", "app"))).toBe("abc");
    add(pod("a", "shop", { tier: "web" }));
    expect(names(store.byIndex("words", "app"))).toBe("bc");
    expect(names(store.byIndex("words", "web"))).toBe("ac");
    store.delete("lab/c");
    expect(names(store.byIndex("words", "web"))).toBe("a");
    expect(store.byIndex("words", "nothing")).toEqual([]);
  });

  test("may be requested twice, but not with different functions", () => {
    const { store } = filled();
    const of = () => ["x"];
    store.addIndex("one", of);
    store.addIndex("one", of);
    expect(() => store.addIndex("one", () => ["y"])).toThrow('there is another index "one" already');
    expect(() => store.byIndex("two", "x")).toThrow('there is no index "two"');
  });

  test("whose function throws for an object leaves that object out, and reports it", () => {
    const errors: unknown[] = [];
    const store = new Store<Pod>((error) => errors.push(error));
    store.addIndex("node", ({ spec }) => [spec?.nodeName?.toUpperCase() ?? fail("no node")]);
    store.set("a", pod("a", "shop", {}, "n1"));
    store.set("b", pod("b", "shop"));
    expect(names(store.byIndex("node", "N1"))).toBe("a");
    expect(errors).toHaveLength(1);
    store.set("b", pod("b", "shop", {}, "n1"));
    expect(names(store.byIndex("node", "N1"))).toBe("ab");
  });
});

function fail(message: string): never {
  throw new Error(message);
}

test("indexes of an informer store agree with a scan of every object", () => {
  const change = fc.record({
    key: fc.nat(5),
    values: fc.option(fc.array(fc.constantFrom("x", "y", "z"), { maxLength: 3 })),
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 50 }), fc.nat(50), (changes, indexedAt) => {
      interface Tagged extends KubeObject {
        readonly values: readonly string[];
      }
      const store = new Store<Tagged>();
      const of = ({ values }: Tagged) => values;
      changes.forEach(({ key, values }, at) => {
        if (at === indexedAt) store.addIndex("i", of);
        if (values) store.set(`k${key}`, { values });
        else store.delete(`k${key}`);
      });
      store.addIndex("i", of);
      for (const value of ["x", "y", "z"]) {
        const expected = [...store.values()].filter(({ values }) => values.includes(value));
        expect(new Set(store.byIndex("i", value))).toEqual(new Set(expected));
        expect(store.byIndex("i", value)).toHaveLength(expected.length);
      }
    }),
  );
});
