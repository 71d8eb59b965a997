import { describe, expect, it } from "vitest";
import { deepFreeze } from "./deep-freeze.js";
import { TerminalError } from "./errors.js";
import type { KubeObject } from "./object.js";
import {
  controllerReference,
  getControllerOf,
  isControlledBy,
  isOwnedBy,
  ownerReference,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
} from "./owner-reference.js";

const owner = deepFreeze({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "shop", uid: "1" },
});
const other = deepFreeze({ ...owner, metadata: { ...owner.metadata, name: "api", uid: "2" } });
const node = deepFreeze({ apiVersion: "v1", kind: "Node", metadata: { name: "n1", uid: "3" } });
const child: KubeObject = deepFreeze({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "settings", namespace: "shop", labels: { app: "web" } },
});

describe("owner references", () => {
  it("name the owner", () => {
    expect(ownerReference(owner)).toEqual({
      apiVersion: "apps/v1",
      kind: "Deployment",
      name: "web",
      uid: "1",
    });
    expect(controllerReference(owner)).toEqual({
      ...ownerReference(owner),
      blockOwnerDeletion: true,
      controller: true,
    });
    expect(controllerReference(owner, { blockOwnerDeletion: false }).blockOwnerDeletion).toBe(false);
  });

  it("take the kind from outside when the owner does not say it", () => {
    const kind = { group: "apps", version: "v1", kind: "Deployment" };
    expect(ownerReference({ metadata: owner.metadata }, { kind })).toEqual(ownerReference(owner));
  });

  it.each<[KubeObject]>([
    [{ kind: "Deployment", metadata: { name: "web", uid: "1" } }],
    [{ apiVersion: "v1", kind: "Deployment", metadata: { name: "web" } }],
    [{}],
  ])("cannot point at %j", (incomplete) => {
    expect(() => ownerReference(incomplete)).toThrow(/cannot be an owner/);
  });
});

describe("setControllerReference", () => {
  it("adds the controller and leaves the rest and the original alone", () => {
    const owned = setControllerReference(child, owner);
    expect(owned).toEqual({
      ...child,
      metadata: { ...child.metadata, ownerReferences: [controllerReference(owner)] },
    });
    expect(child.metadata?.ownerReferences).toBeUndefined();
    expect(getControllerOf(owned)).toEqual(controllerReference(owner));
    expect(isControlledBy(owned, owner)).toBe(true);
    expect(isControlledBy(owned, other)).toBe(false);
  });

  it("returns the same object when nothing changes", () => {
    const owned = deepFreeze(setControllerReference(child, owner));
    expect(setControllerReference(owned, owner)).toBe(owned);
  });

  it("stands beside plain owners and turns one into the controller in place", () => {
    const plain = setOwnerReference(setOwnerReference(child, owner), node);
    const owned = setControllerReference(plain, owner);
    expect(owned.metadata?.ownerReferences).toEqual([controllerReference(owner), ownerReference(node)]);
  });

  it("replaces what an earlier owner of the same name, or an older version of the kind, left behind", () => {
    const earlier = { ...owner, apiVersion: "apps/v1beta1", metadata: { ...owner.metadata, uid: "0" } };
    const owned = setControllerReference(setControllerReference(child, earlier), owner);
    expect(owned.metadata?.ownerReferences).toEqual([controllerReference(owner)]);
  });

  it("refuses a second controller", () => {
    const owned = setControllerReference(child, owner);
    expect(() => setControllerReference(owned, other)).toThrow(
      new Error("ConfigMap shop/settings is already owned by another Deployment controller web"),
    );
  });

  it("refuses an owner in another namespace", () => {
    const elsewhere = { ...child, metadata: { ...child.metadata, namespace: "other" } };
    for (const set of [setControllerReference, setOwnerReference]) {
      expect(() => set(elsewhere, owner)).toThrow(
        new TerminalError(
          "ConfigMap other/settings: cross-namespace owner references are disallowed, owner's namespace shop, " +
            "object's namespace other",
        ),
      );
    }
  });

  it("refuses a namespaced owner of a cluster-scoped object", () => {
    expect(() => setControllerReference(node, owner)).toThrow(
      new TerminalError(
        "Node n1: cluster-scoped resource must not have a namespace-scoped owner, owner's namespace shop",
      ),
    );
  });

  it("lets a cluster-scoped owner own anything", () => {
    expect(isControlledBy(setControllerReference(child, node), node)).toBe(true);
  });

  it("keeps the static type", () => {
    const typed = {
      kind: "ConfigMap",
      metadata: { name: "a", namespace: "shop" },
      data: { k: "v" },
    } as const;
    expect(setControllerReference(typed, owner).data.k).toBe("v");
  });
});

describe("owner references without a controller", () => {
  it("can be several, and be removed by uid", () => {
    const owned = setOwnerReference(setOwnerReference(child, owner), node, { blockOwnerDeletion: true });
    expect(owned.metadata?.ownerReferences).toEqual([
      ownerReference(owner),
      { ...ownerReference(node), blockOwnerDeletion: true },
    ]);
    expect(isOwnedBy(owned, owner)).toBe(true);
    expect(isOwnedBy(owned, other)).toBe(false);
    expect(getControllerOf(owned)).toBeUndefined();
    expect(isControlledBy(owned, owner)).toBe(false);

    const freed = removeOwnerReference(owned, owner);
    expect(isOwnedBy(freed, owner)).toBe(false);
    expect(isOwnedBy(freed, node)).toBe(true);
    expect(removeOwnerReference(freed, owner)).toBe(freed);
  });

  it("are none where there is no uid to compare", () => {
    expect(isControlledBy({}, {})).toBe(false);
    expect(isOwnedBy(setOwnerReference(child, owner), {})).toBe(false);
  });
});
