import { expect, it } from "vitest";
import { internalItem, internalPodSpec, internalTemplate } from "./internal-value.js";

it("the internal form of a container prints every field, set or not", () => {
  const container = {
    name: "c",
    ports: [{ containerPort: 80, protocol: "TCP" }],
    livenessProbe: { httpGet: { port: "web" } },
    resources: { limits: { memory: "1Gi", cpu: "1" } },
  };
  expect(JSON.stringify(internalItem("containers", container))).toBe(
    '{"Name":"c","Image":"","Command":null,"Args":null,"WorkingDir":"","Ports":[{"Name":"","HostPort":0,"ContainerPort":80,"Protocol":"TCP","HostIP":""}],"EnvFrom":null,"Env":null,"Resources":{"Limits":{"cpu":"1","memory":"1Gi"},"Requests":null,"Claims":null},"ResizePolicy":null,"RestartPolicy":null,"RestartPolicyRules":null,"VolumeMounts":null,"VolumeDevices":null,"LivenessProbe":{"Exec":null,"HTTPGet":{"Path":"","Port":"web","Host":"","Scheme":"","HTTPHeaders":null},"TCPSocket":null,"GRPC":null,"InitialDelaySeconds":0,"TimeoutSeconds":0,"PeriodSeconds":0,"SuccessThreshold":0,"FailureThreshold":0,"TerminationGracePeriodSeconds":null},"ReadinessProbe":null,"StartupProbe":null,"Lifecycle":null,"TerminationMessagePath":"","TerminationMessagePolicy":"","ImagePullPolicy":"","SecurityContext":null,"Stdin":false,"StdinOnce":false,"TTY":false}',
  );
});

it("the internal form of a pod has host namespaces in the security context, and selectors as in the API", () => {
  const term = { topologyKey: "zone", labelSelector: { matchLabels: { b: "2", a: "1" } } };
  expect(
    internalPodSpec({
      containers: [],
      hostNetwork: true,
      volumes: [{ name: "v", emptyDir: {} }],
      affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
    }),
  ).toMatchObject({
    SecurityContext: { HostNetwork: true, HostPID: false, HostUsers: null },
    Volumes: [{ Name: "v", EmptyDir: { Medium: "", SizeLimit: null }, HostPath: null }],
    Affinity: {
      PodAffinity: {
        RequiredDuringSchedulingIgnoredDuringExecution: [
          { LabelSelector: { matchLabels: { a: "1", b: "2" } }, Namespaces: null, TopologyKey: "zone" },
        ],
      },
    },
  });
});

it("the internal form of a pod template has its metadata beside its spec", () => {
  expect(internalTemplate({ metadata: { labels: { b: "1", a: "2" } } })).toMatchObject({
    labels: { a: "2", b: "1" },
    Spec: { Volumes: null },
  });
});
