import { describe, expect, it } from "vitest";
import { template, workloadServer } from "../fixtures/workload-server.js";

const server = () => workloadServer("batch/v1", "CronJob", "cronjobs");
const shared = server();
const jobTemplate = { spec: { template: template({ restartPolicy: "OnFailure" }) } };
const valid = { schedule: "0 * * * *", jobTemplate };

describe("CronJob", () => {
  it("gets the defaults of Kubernetes, and none in its job template", async () => {
    const { attempt } = await shared;
    const { spec } = (await attempt({ spec: valid })).body;
    expect(spec).toMatchObject({
      concurrencyPolicy: "Allow",
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
      jobTemplate: { spec: { template: { spec: { dnsPolicy: "ClusterFirst" } } } },
    });
    expect(spec.jobTemplate.spec.parallelism).toBeUndefined();
  });

  it.each<[what: string, spec: object, causes: string[]]>([
    ["no schedule", { jobTemplate }, ["spec.schedule: Required value"]],
    [
      "an invalid schedule",
      { ...valid, schedule: "whenever" },
      ['spec.schedule: Invalid value: "whenever": expected exactly 5 fields, found 1: [whenever]'],
    ],
    [
      "a time zone in the schedule",
      { ...valid, schedule: "TZ=UTC 0 * * * *" },
      [
        'spec.schedule: Invalid value: "TZ=UTC 0 * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
      ],
    ],
    [
      "an unknown time zone",
      { ...valid, timeZone: "Mars/Base" },
      ['spec.timeZone: Invalid value: "Mars/Base": unknown time zone Mars/Base'],
    ],
    [
      "a time zone that depends on the server",
      { ...valid, timeZone: "Local" },
      [
        'spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
      ],
    ],
    [
      "an unknown policy",
      { ...valid, concurrencyPolicy: "Queue" },
      ['spec.concurrencyPolicy: Unsupported value: "Queue": supported values: "Allow", "Forbid", "Replace"'],
    ],
    [
      "a selector for its jobs",
      {
        ...valid,
        jobTemplate: {
          spec: { ...jobTemplate.spec, selector: { matchLabels: { a: "b" } }, manualSelector: true },
        },
      },
      [
        'spec.jobTemplate.spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: `selector` will be auto-generated',
        'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
      ],
    ],
    [
      "pods that never end",
      { ...valid, jobTemplate: { spec: { template: template() } } },
      [
        'spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
      ],
    ],
  ])("is refused with %s", async (_, spec, causes) => {
    const { wrong } = await shared;
    expect(await wrong({ spec })).toEqual(causes);
  });

  it("refuses names over 52 characters, which leave no room for the names of its Jobs", async () => {
    const { wrong } = await shared;
    const name = "a".repeat(53);
    expect(await wrong({ spec: valid }, { name })).toEqual([
      `metadata.name: Invalid value: "${name}": must be no more than 52 characters`,
    ]);
  });

  it("accepts changes of every field of its spec", async () => {
    const { create, patch, path } = await server();
    await create("c", { spec: valid });
    const { body } = await patch(`${path}/c`, {
      spec: { schedule: "@daily", timeZone: "Europe/Berlin", suspend: true },
    });
    expect(body).toMatchObject({ spec: { schedule: "@daily" }, metadata: { generation: 2 } });
  });
});
