import type { CustomResourceDefinition } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { decideNames, namesTaken } from "./naming.js";

type Names = CustomResourceDefinition["spec"]["names"];

const asked: Names = { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" };

function crd(
  names: Names,
  acceptedNames?: Names,
  conditions: NonNullable<CustomResourceDefinition["status"]>["conditions"] = [],
  group = "example.com",
): CustomResourceDefinition {
  return {
    metadata: { name: `${names.plural}.${group}` },
    spec: { group, names, scope: "Namespaced", versions: [] },
    ...(acceptedNames ? { status: { acceptedNames, conditions } } : {}),
  };
}

const decide = (one: CustomResourceDefinition, ...others: CustomResourceDefinition[]) =>
  decideNames(one, () => namesTaken(one, [one, ...others]));

describe("CRD names", () => {
  it("are all accepted where no other CRD has them", () => {
    expect(decide(crd(asked))).toEqual({
      acceptedNames: asked,
      conditions: [
        { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" },
        {
          type: "Established",
          status: "False",
          reason: "Installing",
          message: "the initial names have been accepted",
        },
      ],
    });
  });

  it("are not checked again once they are accepted", () => {
    const one = crd(asked, asked);
    expect(
      decideNames(one, () => {
        throw new Error("nobody needs to know");
      }),
    ).toBeUndefined();
  });

  const others: readonly [what: string, names: Names, reason: string, message: string][] = [
    [
      "plural",
      { plural: "x", kind: "X", shortNames: ["widgets"] },
      "PluralConflict",
      '"widgets" is already in use',
    ],
    [
      "singular",
      { plural: "x", kind: "X", singular: "widget" },
      "SingularConflict",
      '"widget" is already in use',
    ],
    ["kind", { plural: "x", kind: "Widget" }, "KindConflict", '"Widget" is already in use'],
    [
      "list kind",
      { plural: "x", kind: "X", listKind: "WidgetList" },
      "ListKindConflict",
      '"WidgetList" is already in use',
    ],
    [
      "kind of a list",
      { plural: "x", kind: "WidgetList" },
      "ListKindConflict",
      '"WidgetList" is already in use',
    ],
  ];
  it.each(others)("conflict by %s", (_what, names, reason, message) => {
    const decided = decide(crd(asked), crd(names, names));
    expect(decided?.conditions).toMatchObject([
      { type: "NamesAccepted", status: "False", reason, message },
      { type: "Established", status: "False", reason: "NotAccepted" },
    ]);
  });

  it("conflict only within their group", () => {
    const elsewhere = crd(asked, asked, [], "other.example.com");
    expect(decide(crd(asked), elsewhere)?.conditions[0]?.status).toBe("True");
  });

  it("conflict with the accepted names of others, not with those they ask for", () => {
    expect(decide(crd(asked), crd({ plural: "x", kind: "Widget" }))?.conditions[0]?.status).toBe("True");
  });

  it("that are short are accepted together or not at all, and every conflict is named", () => {
    const names = { ...asked, shortNames: ["a", "b", "c"] };
    const other = crd({ plural: "x", kind: "X" }, { plural: "x", kind: "X", shortNames: ["a", "c"] });
    const decided = decide(crd(names), other);
    expect(decided?.acceptedNames).toEqual(asked);
    expect(decided?.conditions[0]).toMatchObject({
      reason: "ShortNamesConflict",
      message: '["a" is already in use, "c" is already in use]',
    });
  });

  it("are kept where new ones are refused, and the CRD stays Established", () => {
    const established = { type: "Established", status: "True", reason: "InitialNamesAccepted", message: "m" };
    const held = { ...asked, shortNames: ["w"] };
    const one = crd({ ...asked, shortNames: ["x"], categories: ["all"] }, held, [established]);
    const decided = decide(one, crd({ plural: "x", kind: "X" }, { plural: "x", kind: "X" }));
    expect(decided?.acceptedNames).toEqual({ ...held, categories: ["all"] });
    expect(decided?.conditions[1]).toEqual(established);
  });
});
