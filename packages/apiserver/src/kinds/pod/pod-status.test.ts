// Pod status updates that a node may not make.
import { describe, expect, it } from "vitest";
import { podServer, podsPath } from "../fixtures/pod-server.js";

const report = { name: "c", image: "i", imageID: "", ready: false, restartCount: 0 };
const ended = (exitCode: number) => ({ ...report, state: { terminated: { exitCode } } });
const running = { ...report, state: { running: {} } };
const spec = {
  nodeName: "n",
  containers: [
    {
      name: "c",
      image: "i",
      resources: { requests: { "a.b/c": "1" }, limits: { "a.b/c": "1" } },
    },
  ],
};
const revived =
  "status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state";

describe("pod status", () => {
  it("accepts addresses that are not canonical, with warnings", async () => {
    const { create, patch } = await podServer();
    await create("p", spec);
    const status = { podIP: "2001:DB8::1", podIPs: [{ ip: "2001:DB8::1" }] };
    const answer = await patch(`${podsPath}/p/status`, { status });
    expect([answer.status, answer.warnings]).toEqual([
      200,
      [
        '299 - "status.podIPs[0].ip: IPv6 address \\"2001:DB8::1\\" should be in RFC 5952 canonical format (\\"2001:db8::1\\")"',
      ],
    ]);
  });

  it.each<[what: string, status: object, causes: string[]]>([
    [
      "another node than it is on",
      { nominatedNodeName: "m" },
      ["status.nominatedNodeName: Forbidden: may not be set on pods that are already bound to a node"],
    ],
    [
      "generations that never were",
      { observedGeneration: -1, conditions: [{ type: "Ready", status: "True", observedGeneration: -2 }] },
      [
        "status.conditions[0].observedGeneration: Invalid value: -2: must be a non-negative integer",
        "status.observedGeneration: Invalid value: -1: must be a non-negative integer",
      ],
    ],
    [
      "both another node and a generation that never was, reported in this order",
      { observedGeneration: -1, nominatedNodeName: "m" },
      [
        "status.nominatedNodeName: Forbidden: may not be set on pods that are already bound to a node",
        "status.observedGeneration: Invalid value: -1: must be a non-negative integer",
      ],
    ],
    [
      "claims it does not ask for",
      { resourceClaimStatuses: [{ name: "d", resourceClaimName: "x.y" }] },
      [
        'status.resourceClaimStatuses[0].name: Invalid value: "d": must match the name of an entry in `spec.resourceClaims`',
      ],
    ],
    [
      "conditions without a proper type",
      { conditions: [{ type: "", status: "True" }] },
      [
        'status.conditions[0].Type: Invalid value: "": name part must be non-empty',
        "status.conditions[0].Type: Invalid value: \"\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      ],
    ],
    [
      "users that cannot be",
      { containerStatuses: [{ ...report, user: { linux: { uid: -1, gid: 0 } } }] },
      [
        "status.containerStatuses[0].user.linux.uid: Invalid value: -1: must be between 0 and 2147483647, inclusive",
      ],
    ],
    [
      "devices that were not requested",
      {
        containerStatuses: [
          {
            ...report,
            allocatedResourcesStatus: [
              { name: "x.y/z", resources: [{ resourceID: "1", health: "Fine" }] },
              { name: "claim:d", resources: [] },
            ],
          },
        ],
      },
      [
        'status.containerStatuses[0].allocatedResourcesStatus[0].name: Invalid value: "x.y/z": must match one of the container\'s resource requests',
        'status.containerStatuses[0].allocatedResourcesStatus[0].resources[0].health: Unsupported value: "Fine": supported values: "Healthy", "Unhealthy", "Unknown"',
        "status.containerStatuses[0].allocatedResourcesStatus[1].name: Invalid value: \"claim:d\": must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or 'claim:<claimName>' if request is empty",
      ],
    ],
    [
      "a claim for extended resources that maps nothing",
      { extendedResourceClaimStatus: { resourceClaimName: "x", requestMappings: [] } },
      [
        "status.extendedResourceClaimStatus.requestMappings: Required value: at least one request mapping is required",
      ],
    ],
  ])("refuses %s", async (_, status, expected) => {
    const { create, patch, causes } = await podServer();
    await create("p", spec);
    expect(causes(await patch(`${podsPath}/p/status`, { status }))).toEqual(expected);
  });

  const rule = (operator: string) => ({
    restartPolicy: "Never",
    restartPolicyRules: [{ action: "Restart", exitCodes: { operator, values: [3] } }],
  });
  it.each<[what: string, container: object, exitCode: number, causes: string[]]>([
    ["one that never restarts", { restartPolicy: "Never" }, 1, [revived]],
    ["one that restarts on failure, after success", { restartPolicy: "OnFailure" }, 0, [revived]],
    ["one whose rule names its exit code", rule("In"), 3, []],
    ["one whose rule names another exit code", rule("In"), 4, [revived]],
    ["one whose rule leaves out its exit code", rule("NotIn"), 4, []],
  ])(
    "decides by restart policy rules whether a container may run again: %s",
    async (_, container, exitCode, expected) => {
      const { create, patch, causes } = await podServer();
      await create("p", { restartPolicy: "Never", containers: [{ name: "c", image: "i", ...container }] });
      const path = `${podsPath}/p/status`;
      await patch(path, { status: { containerStatuses: [ended(exitCode)] } });
      const answer = await patch(path, { status: { containerStatuses: [running] } });
      expect(answer.status === 200 ? [] : causes(answer)).toEqual(expected);
    },
  );
});
