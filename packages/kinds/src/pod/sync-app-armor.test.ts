import type { AppArmorProfile, Draft, Pod } from "@kubewright/api";
import { expect, it } from "vitest";
import { syncAppArmor } from "./sync-app-armor.js";

const key = "container.apparmor.security.beta.kubernetes.io/c";
const warning = `metadata.annotations[${key}]: deprecated since v1.30; use the "appArmorProfile" field instead`;
const runtime: AppArmorProfile = { type: "RuntimeDefault" };

it.each<
  [
    annotation: string | undefined,
    forPod: AppArmorProfile | undefined,
    forContainer: AppArmorProfile | undefined,
    expected: AppArmorProfile | undefined,
    warnings: string[],
  ]
>([
  [undefined, runtime, undefined, undefined, []],
  ["runtime/default", undefined, undefined, runtime, [warning]],
  ["unconfined", runtime, undefined, { type: "Unconfined" }, [warning]],
  ["localhost/a", undefined, undefined, { type: "Localhost", localhostProfile: "a" }, [warning]],
  ["runtime/default", runtime, undefined, undefined, []],
  ["unconfined", undefined, runtime, runtime, []],
  ["localhost/", undefined, undefined, undefined, [warning]],
  ["localhost/ a", undefined, undefined, undefined, [warning]],
  ["other", undefined, undefined, undefined, [warning]],
])(
  "the AppArmor profile of a container from the annotation %j, the pod's profile %j and its own %j",
  (annotation, forPod, forContainer, expected, warnings) => {
    const pod: Draft<Pod> = {
      metadata: { annotations: annotation === undefined ? {} : { [key]: annotation } },
      spec: {
        ...(forPod ? { securityContext: { appArmorProfile: forPod } } : {}),
        containers: [
          { name: "c", ...(forContainer ? { securityContext: { appArmorProfile: forContainer } } : {}) },
        ],
      },
    };
    expect(syncAppArmor(pod)).toEqual(warnings);
    expect(pod.spec?.containers[0]?.securityContext?.appArmorProfile).toEqual(expected);
  },
);

it("AppArmor annotations of Windows pods are left alone", () => {
  const pod: Draft<Pod> = {
    metadata: { annotations: { [key]: "unconfined" } },
    spec: { os: { name: "windows" }, containers: [{ name: "c" }] },
  };
  expect(syncAppArmor(pod)).toEqual([]);
  expect(pod.spec?.containers).toEqual([{ name: "c" }]);
});
