import assert from "node:assert/strict";
import { test } from "node:test";

import { type Machine, socketAddress } from "../src/address.js";

const LINUX: Machine = {
  platform: "linux",
  home: "/home/ada",
  user: 1000,
  named: undefined,
  appData: undefined,
  runtimeDir: "/run/user/1000",
};
const WINDOWS: Machine = {
  ...LINUX,
  platform: "win32",
  home: "C:\\Users\\ada",
  appData: "C:\\Users\\ada\\AppData\\Roaming",
  runtimeDir: undefined,
};
const LONG = `/home/ada/${"deep/".repeat(25)}home`;

test("the usual place is in the home folder", () => {
  assert.equal(socketAddress("", LINUX), "/home/ada/.obsidian-rag/ragd.sock");
});

test("a tilde is the home folder, in the configuration and in OBSIDIAN_RAG_HOME", () => {
  assert.equal(socketAddress("~/x/ragd.sock", LINUX), "/home/ada/x/ragd.sock");
  assert.equal(socketAddress("", { ...LINUX, named: "~/y" }), "/home/ada/y/ragd.sock");
  assert.equal(socketAddress("/~weird/~", LINUX), "/~weird/~");
});

test("what is configured goes before the environment", () => {
  assert.equal(socketAddress("/a.sock", { ...LINUX, named: "/b" }), "/a.sock");
});

test("a path that is too long for a socket moves to the runtime folder, as ragd does it", () => {
  const name = "c1cd7e683e65e352.sock"; // ragd/paths.py says the same of this home
  assert.equal(socketAddress("", { ...LINUX, named: LONG }), `/run/user/1000/ragd/${name}`);
  const without = { ...LINUX, named: LONG, runtimeDir: undefined };
  assert.equal(socketAddress("", without), `/tmp/ragd-1000/${name}`);
});

test("on Windows it is the pipe of the home, or the pipe that is configured", () => {
  assert.match(socketAddress("", WINDOWS), /^\\\\\.\\pipe\\ragd-[0-9a-f]{16}$/);
  assert.equal(socketAddress("\\\\.\\pipe\\mine", WINDOWS), "\\\\.\\pipe\\mine");
});
