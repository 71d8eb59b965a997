import { type JsonValue, parseApiVersion } from "@kubewright/api";
import { describe, expect, it } from "vitest";
import { tableFor } from "../table.js";
import { allPrinters, printerOf } from "./all-printers.js";
import { age, cellsOf, created, now } from "./fixtures/row.js";

describe("tables of built-in kinds", () => {
  const template = {
    metadata: { labels: { a: "b" } },
    spec: {
      containers: [
        { name: "c", image: "i:1" },
        { name: "d", image: "j:2" },
      ],
    },
  };
  const selector = {
    matchLabels: { a: "b" },
    matchExpressions: [{ key: "t", operator: "In", values: ["y", "x"] }],
  };
  const wide = ["c,d", "i:1,j:2", "a=b,t in (x,y)"];

  it.each<[string, string, object, JsonValue[]]>([
    [
      "apps/v1",
      "Deployment",
      {
        spec: { replicas: 3, selector, template },
        status: { readyReplicas: 1, updatedReplicas: 2, availableReplicas: 1 },
      },
      ["x", "1/3", 2, 1, age, ...wide],
    ],
    [
      "apps/v1",
      "ReplicaSet",
      { spec: { replicas: 3, selector, template }, status: { replicas: 2, readyReplicas: 1 } },
      ["x", 3, 2, 1, age, ...wide],
    ],
    [
      "apps/v1",
      "StatefulSet",
      {
        spec: { replicas: 3, selector, template, serviceName: "s" },
        status: { replicas: 2, readyReplicas: 1 },
      },
      ["x", "1/3", age, "c,d", "i:1,j:2"],
    ],
    [
      "apps/v1",
      "DaemonSet",
      {
        spec: { selector, template },
        status: {
          desiredNumberScheduled: 3,
          currentNumberScheduled: 2,
          numberReady: 1,
          updatedNumberScheduled: 2,
          numberAvailable: 1,
          numberMisscheduled: 0,
        },
      },
      ["x", 3, 2, 1, 2, 1, "<none>", age, ...wide],
    ],
    [
      "v1",
      "ReplicationController",
      { spec: { replicas: 1, selector: { b: "2", a: "1" }, template }, status: { replicas: 1 } },
      ["x", 1, 1, 0, age, "c,d", "i:1,j:2", "a=1,b=2"],
    ],
    [
      "batch/v1",
      "Job",
      { spec: { completions: 5, template }, status: { succeeded: 2, startTime: "2026-01-01T00:30:00Z" } },
      ["x", "Running", "2/5", "30m", age, "c,d", "i:1,j:2", "<none>"],
    ],
    [
      "batch/v1",
      "Job",
      {
        spec: { parallelism: 4, template },
        status: {
          startTime: created,
          completionTime: "2026-01-01T00:59:07Z",
          conditions: [{ type: "Complete", status: "True" }],
        },
      },
      ["x", "Complete", "0/1 of 4", "7s", age, "c,d", "i:1,j:2", "<none>"],
    ],
    [
      "batch/v1",
      "Job",
      { spec: { suspend: true, template }, status: { conditions: [{ type: "Suspended", status: "True" }] } },
      ["x", "Suspended", "0/1", "", age, "c,d", "i:1,j:2", "<none>"],
    ],
    [
      "batch/v1",
      "CronJob",
      {
        spec: { schedule: "* * * * *", suspend: false, jobTemplate: { spec: { template } } },
        status: { active: [{}], lastScheduleTime: created },
      },
      ["x", "* * * * *", "<none>", "False", 1, age, age, "c,d", "i:1,j:2", "<none>"],
    ],
    [
      "v1",
      "Service",
      {
        spec: {
          type: "ClusterIP",
          clusterIPs: ["10.0.0.1"],
          ports: [
            { port: 80, protocol: "TCP" },
            { port: 443, nodePort: 30443, protocol: "TCP" },
          ],
          selector: { a: "b" },
        },
      },
      ["x", "ClusterIP", "10.0.0.1", "<none>", "80/TCP,443:30443/TCP", age, "a=b"],
    ],
    [
      "v1",
      "Service",
      { spec: { type: "LoadBalancer", clusterIPs: ["10.0.0.1"] } },
      ["x", "LoadBalancer", "10.0.0.1", "<pending>", "<none>", age, "<none>"],
    ],
    [
      "v1",
      "Service",
      {
        spec: { type: "LoadBalancer", externalIPs: ["9.9.9.9"] },
        status: { loadBalancer: { ingress: [{ ip: "2.2.2.2" }, { hostname: "lb" }] } },
      },
      ["x", "LoadBalancer", "<none>", "2.2.2.2,lb,9.9.9.9", "<none>", age, "<none>"],
    ],
    [
      "v1",
      "Service",
      { spec: { type: "ExternalName", externalName: "e.com" } },
      ["x", "ExternalName", "<none>", "e.com", "<none>", age, "<none>"],
    ],
    [
      "v1",
      "Endpoints",
      { subsets: [{ addresses: [{ ip: "1.1.1.1" }, { ip: "::1" }], ports: [{ port: 80 }, { port: 81 }] }] },
      ["x", "1.1.1.1:80,[::1]:80,1.1.1.1:81 + 1 more...", age],
    ],
    ["v1", "Endpoints", {}, ["x", "<none>", age]],
    [
      "discovery.k8s.io/v1",
      "EndpointSlice",
      {
        addressType: "IPv4",
        endpoints: [{ addresses: ["1.1.1.1"] }],
        ports: [{ port: 80 }, { name: "n" }, {}, { port: 9 }],
      },
      ["x", "IPv4", "80,n,* + 1 more...", "1.1.1.1", age],
    ],
    [
      "discovery.k8s.io/v1",
      "EndpointSlice",
      { addressType: "IPv4", endpoints: [] },
      ["x", "IPv4", "<unset>", "<unset>", age],
    ],
    [
      "v1",
      "Node",
      {
        metadata: { labels: { "node-role.kubernetes.io/worker": "", "kubernetes.io/role": "gpu" } },
        spec: { unschedulable: true },
        status: {
          conditions: [{ type: "Ready", status: "True" }],
          addresses: [{ type: "InternalIP", address: "1.2.3.4" }],
          nodeInfo: {
            kubeletVersion: "v1.36.0",
            osImage: "Linux",
            kernelVersion: "6.12.0",
            architecture: "amd64",
          },
        },
      },
      [
        "x",
        "Ready,SchedulingDisabled",
        "gpu,worker",
        age,
        "v1.36.0",
        "1.2.3.4",
        "<none>",
        "Linux",
        "6.12.0 (amd64)",
        "<unknown>",
      ],
    ],
    ["v1", "Namespace", { status: { phase: "Active" } }, ["x", "Active", age]],
    ["v1", "ConfigMap", { data: { a: "1", b: "2" }, binaryData: { c: "YQ==" } }, ["x", 3, age]],
    ["v1", "Secret", { type: "Opaque", data: { a: "YQ==" } }, ["x", "Opaque", 1, age]],
    ["v1", "ServiceAccount", {}, ["x", age]],
    [
      "v1",
      "ResourceQuota",
      { status: { hard: { "limits.cpu": "2", pods: "5", cpu: "1" }, used: { pods: "3" } } },
      ["x", "cpu: 0/1, pods: 3/5", "limits.cpu: 0/2", age],
    ],
    [
      "v1",
      "PersistentVolume",
      {
        spec: {
          capacity: { storage: "1Gi" },
          accessModes: ["ReadWriteMany", "ReadWriteOnce"],
          persistentVolumeReclaimPolicy: "Retain",
          claimRef: { namespace: "n", name: "c" },
          storageClassName: "fast",
          volumeMode: "Block",
        },
        status: { phase: "Bound" },
      },
      ["x", "1Gi", "RWO,RWX", "Retain", "Bound", "n/c", "fast", "<unset>", "", age, "Block"],
    ],
    [
      "v1",
      "PersistentVolumeClaim",
      {
        spec: { volumeName: "v", storageClassName: "fast", volumeMode: "Filesystem" },
        status: { phase: "Bound", capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOncePod"] },
      },
      ["x", "Bound", "v", "1Gi", "RWOP", "fast", "<unset>", age, "Filesystem"],
    ],
    [
      "v1",
      "PersistentVolumeClaim",
      { metadata: { deletionTimestamp: created }, status: { phase: "Pending" } },
      ["x", "Terminating", "", "", "", "", "<unset>", age, "<unset>"],
    ],
    [
      "storage.k8s.io/v1",
      "StorageClass",
      {
        metadata: { annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
        provisioner: "p",
      },
      ["x (default)", "p", "Delete", "Immediate", false, age],
    ],
    [
      "networking.k8s.io/v1",
      "Ingress",
      {
        spec: {
          ingressClassName: "nginx",
          rules: [{ host: "a" }, { host: "b" }, { host: "c" }, { host: "d" }],
          tls: [{}],
        },
        status: { loadBalancer: { ingress: [{ ip: "1.1.1.1" }] } },
      },
      ["x", "nginx", "a,b,c + 1 more...", "1.1.1.1", "80, 443", age],
    ],
    ["networking.k8s.io/v1", "Ingress", { spec: {} }, ["x", "<none>", "*", "", "80", age]],
    [
      "networking.k8s.io/v1",
      "IngressClass",
      { spec: { controller: "c", parameters: { apiGroup: "g", kind: "K", name: "n" } } },
      ["x", "c", "K.g/n", age],
    ],
    [
      "networking.k8s.io/v1",
      "IngressClass",
      {
        metadata: { annotations: { "ingressclass.kubernetes.io/is-default-class": "true" } },
        spec: { controller: "c" },
      },
      ["x (default)", "c", "<none>", age],
    ],
    ["networking.k8s.io/v1", "NetworkPolicy", { spec: { podSelector: {} } }, ["x", "<none>", age]],
    [
      "policy/v1",
      "PodDisruptionBudget",
      { spec: { minAvailable: "50%" }, status: { disruptionsAllowed: 2 } },
      ["x", "50%", "N/A", 2, age],
    ],
    [
      "autoscaling/v2",
      "HorizontalPodAutoscaler",
      {
        spec: {
          scaleTargetRef: { kind: "Deployment", name: "d" },
          minReplicas: 1,
          maxReplicas: 5,
          metrics: [
            {
              type: "Resource",
              resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } },
            },
            {
              type: "External",
              external: { metric: { name: "q" }, target: { type: "AverageValue", averageValue: "5" } },
            },
            {
              type: "Pods",
              pods: { metric: { name: "p" }, target: { type: "AverageValue", averageValue: "1k" } },
            },
          ],
        },
        status: {
          currentReplicas: 2,
          currentMetrics: [
            { type: "Resource", resource: { name: "cpu", current: { averageUtilization: 12 } } },
          ],
        },
      },
      ["x", "Deployment/d", "cpu: 12%/80%, <unknown>/5 (avg) + 1 more...", "1", 5, 2, age],
    ],
    [
      "autoscaling/v1",
      "HorizontalPodAutoscaler",
      {
        spec: {
          scaleTargetRef: { kind: "Deployment", name: "d" },
          maxReplicas: 5,
          targetCPUUtilizationPercentage: 80,
        },
      },
      ["x", "Deployment/d", "cpu: <unknown>/80%", "<unset>", 5, 0, age],
    ],
    [
      "autoscaling/v1",
      "HorizontalPodAutoscaler",
      {
        metadata: {
          annotations: {
            "autoscaling.alpha.kubernetes.io/metrics": JSON.stringify([
              { type: "Pods", pods: { metricName: "rate", targetAverageValue: "10" } },
            ]),
            "autoscaling.alpha.kubernetes.io/current-metrics": JSON.stringify([
              { type: "Pods", pods: { metricName: "rate", currentAverageValue: "7" } },
              { type: "Resource", resource: { name: "cpu", currentAverageUtilization: 12 } },
            ]),
          },
        },
        spec: {
          scaleTargetRef: { kind: "Deployment", name: "d" },
          minReplicas: 2,
          maxReplicas: 5,
          targetCPUUtilizationPercentage: 80,
        },
        status: { currentReplicas: 3, desiredReplicas: 3, currentCPUUtilizationPercentage: 12 },
      },
      ["x", "Deployment/d", "7/10, cpu: 12%/80%", "2", 5, 3, age],
    ],
    [
      "v1",
      "Event",
      {
        involvedObject: { kind: "Pod", name: "p", fieldPath: "spec" },
        firstTimestamp: "2026-01-01T00:50:00Z",
        lastTimestamp: created,
        count: 4,
        type: "Normal",
        reason: "R",
        message: " hello \n",
        source: { component: "kubelet", host: "n1" },
      },
      [age, "Normal", "R", "pod/p", "spec", "kubelet, n1", "hello", "10m", 4, "x"],
    ],
    [
      "v1",
      "Event",
      { involvedObject: { kind: "Node" }, eventTime: "2026-01-01T00:59:00.000000Z", reportingComponent: "c" },
      [age, "", "", "node", "", "c", "", age, 1, "x"],
    ],
    [
      "events.k8s.io/v1",
      "Event",
      {
        regarding: { kind: "Pod", name: "p" },
        eventTime: "2026-01-01T00:50:00.000000Z",
        series: { count: 7, lastObservedTime: "2026-01-01T00:59:00.000000Z" },
        reportingController: "c",
        note: "n",
      },
      [age, "", "", "pod/p", "", "c", "n", "10m", 7, "x"],
    ],
    ["coordination.k8s.io/v1", "Lease", { spec: { holderIdentity: "me" } }, ["x", "me", age]],
    [
      "scheduling.k8s.io/v1",
      "PriorityClass",
      { value: 10, preemptionPolicy: "Never" },
      ["x", 10, false, age, "Never"],
    ],
    [
      "rbac.authorization.k8s.io/v1",
      "RoleBinding",
      {
        roleRef: { apiGroup: "", kind: "Role", name: "r" },
        subjects: [
          { kind: "User", name: "u" },
          { kind: "User", name: "v" },
          { kind: "Group", name: "g" },
          { kind: "ServiceAccount", namespace: "n", name: "s" },
        ],
      },
      ["x", "Role/r", age, "u, v", "g", "n/s"],
    ],
    ["rbac.authorization.k8s.io/v1", "Role", {}, ["x", created]],
    ["apiextensions.k8s.io/v1", "CustomResourceDefinition", {}, ["x", created]],
    ["v1", "LimitRange", {}, ["x", created]],
    [
      "admissionregistration.k8s.io/v1",
      "ValidatingWebhookConfiguration",
      { webhooks: [{}, {}] },
      ["x", 2, age],
    ],
    [
      "admissionregistration.k8s.io/v1",
      "ValidatingAdmissionPolicy",
      { spec: { validations: [{ expression: "true" }], paramKind: { apiVersion: "v1", kind: "ConfigMap" } } },
      ["x", 1, "v1/ConfigMap", age],
    ],
    [
      "admissionregistration.k8s.io/v1",
      "ValidatingAdmissionPolicyBinding",
      { spec: { policyName: "p", paramRef: { name: "n" } } },
      ["x", "p", "*/n", age],
    ],
    [
      "certificates.k8s.io/v1",
      "CertificateSigningRequest",
      {
        spec: { signerName: "s", username: "u", request: "", expirationSeconds: 3600 },
        status: { conditions: [{ type: "Approved", status: "True" }], certificate: "YQ==" },
      },
      ["x", age, "s", "u", "60m", "Approved,Issued"],
    ],
    [
      "apiregistration.k8s.io/v1",
      "APIService",
      {
        spec: { service: { namespace: "n", name: "s" } },
        status: { conditions: [{ type: "Available", status: "False", reason: "Gone" }] },
      },
      ["x", "n/s", "False (Gone)", age],
    ],
    ["apiregistration.k8s.io/v1", "APIService", {}, ["x", "Local", "Unknown", age]],
    ["autoscaling/v1", "Scale", { spec: { replicas: 3 }, status: { replicas: 2 } }, ["x", 3, 2, age]],
  ])("%s %s has the cells of kube-apiserver, case %#", (apiVersion, kind, body, cells) => {
    expect(cellsOf(apiVersion, kind, body)).toEqual(cells);
  });

  it("show status, reason and message of a Status", () => {
    const gvk = { group: "", version: "v1", kind: "Status" };
    const table = tableFor([{ status: "Success", message: "m" }], {
      gvk,
      now,
      includeObject: "None",
      version: "v1",
    });
    expect(table["rows"]).toEqual([{ cells: ["Success", "", "m"], object: null }]);
  });
});

describe("columns of built-in kinds", () => {
  // kube-apiserver asks types for fields that they do not have.
  const undescribed = ["RuntimeClass Handler", "Status Message"];

  it("have a description, except two as in kube-apiserver", () => {
    const silent = allPrinters.flatMap(({ kind, columns }) =>
      columns.filter(({ description }) => description === "").map(({ name }) => `${kind} ${name}`),
    );
    expect(silent).toEqual(undescribed);
  });

  it.each([
    ["v1", "Pod", "IP", "podIP address allocated to the pod."],
    ["apps/v1", "ReplicaSet", "Selector", "If the selector is empty, it is defaulted to the labels"],
    ["autoscaling/v2", "HorizontalPodAutoscaler", "MinPods", "minReplicas is the lower limit"],
    ["certificates.k8s.io/v1", "CertificateSigningRequest", "Requestor", "Base64-encoded PKCS#10 CSR data"],
  ])("%s %s %s is described in the words of the API", (apiVersion, kind, name, words) => {
    const printer = printerOf({ ...parseApiVersion(apiVersion)!, kind });
    expect(printer?.columns.find((column) => column.name === name)?.description).toContain(words);
  });
});
