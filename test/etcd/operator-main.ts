// The operator as a program of its own.
import { runManager } from "@kubewright/runtime/main";
import manager from "../../operators/etcd/src/main.js";

process.exitCode = await runManager(manager, process);
