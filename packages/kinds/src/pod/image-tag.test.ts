import { expect, it } from "vitest";
import { imageTag } from "./image-tag.js";

const digest = `sha256:${"a1".repeat(32)}`;

it.each([
  ["nginx", "latest"],
  ["nginx:1.25", "1.25"],
  ["nginx:latest", "latest"],
  ["library/nginx", "latest"],
  ["registry.example.com:5000/a/b", "latest"],
  ["registry.example.com:5000/a/b:v1", "v1"],
  ["localhost:5000", "5000"],
  ["[::1]:5000/a:v2", "v2"],
  [`nginx@${digest}`, ""],
  [`nginx:1.25@${digest}`, "1.25"],
  ["UPPER", ""],
  ["a b", ""],
  ["", ""],
  [`${"a".repeat(700)}`, ""],
])("the image %s has the tag '%s'", (image, tag) => {
  expect(imageTag(image)).toBe(tag);
});
