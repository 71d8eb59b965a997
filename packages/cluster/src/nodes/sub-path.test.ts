import { Pod } from "@kubewright/api";
import { expect, test } from "vitest";
import { Simulation, shell } from "./fixtures/simulation.js";
import { subPathProblem, withSubPaths } from "./sub-path.js";

const mounting = (subPathExpr: string) => ({
  name: "c",
  volumeMounts: [{ name: "work", mountPath: "/work", subPathExpr }],
});

test.each([
  ["$(NAME)", { NAME: "/tmp" }, "error SubPath `/tmp` must not be an absolute path"],
  ["logs/$(NAME)", { NAME: ".." }, "unable to provision SubPath `logs/..`: must not contain '..'"],
  ["$(B)/$(A)/$(B)", { A: "" }, "missing value for A, B"],
  ["$$(NAME)", {}, undefined],
  ["logs/$(NAME)", { NAME: "web..1" }, undefined],
])("%s with %j: %s", (expression, variables, problem) => {
  const known = new Map(Object.entries<string>(variables));
  expect(subPathProblem(mounting(expression), known)).toBe(problem);
});

test("a sub path is put together from the variables of the container", () => {
  const { volumeMounts } = withSubPaths(mounting("logs/$(NAME)"), new Map([["NAME", "web-0"]]));
  expect(volumeMounts).toEqual([{ name: "work", mountPath: "/work", subPath: "logs/web-0" }]);
});

test("a container whose sub path cannot be waits, and starts once an annotation makes it possible", async () => {
  await using simulation = await Simulation.start();
  const fieldPath = "metadata.annotations['folder']";
  await simulation.run(
    {
      ...shell("echo hi > /part/greeting; cat /whole/kept/greeting; sleep 1000"),
      env: [{ name: "FOLDER", valueFrom: { fieldRef: { fieldPath } } }],
      volumeMounts: [
        { name: "work", mountPath: "/part", subPathExpr: "$(FOLDER)" },
        { name: "work", mountPath: "/whole" },
      ],
    },
    { volumes: [{ name: "work", emptyDir: {} }] },
  );
  const waiting = { reason: "CreateContainerConfigError", message: "missing value for FOLDER" };
  expect((await simulation.container()).state).toEqual({ waiting });
  expect((await simulation.pod()).status?.phase).toBe("Pending");
  expect(await simulation.events()).toContain("Failed: Error: missing value for FOLDER");

  const merge = { metadata: { annotations: { folder: "kept" } } };
  await simulation.cluster.client.patch(Pod, "p", { merge }, { namespace: "default" });
  expect((await simulation.container()).state?.running).toBeDefined();
  const lines: string[] = [];
  for await (const line of simulation.cluster.client.pods.log("p", { namespace: "default" }))
    lines.push(line);
  expect(lines).toEqual(["hi"]);
});
