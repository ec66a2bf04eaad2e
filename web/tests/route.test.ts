import { expect, it } from "vitest";

import { Route } from "../src/map/route";
import { Series, table } from "../src/plots/series";
import { unitOf } from "../src/plots/units";

const told = (active: boolean, state: string) => ({ active, state, reason: "", x: 0, y: 0, distance: 0 });

it("goes from waypoint to waypoint, and round and round on patrol", () => {
  const sent: number[] = [];
  const route = new Route(({ x }) => { sent.push(x); });
  for (const x of [1, 2]) route.add({ x, y: 0, yaw: 0 });
  route.start();
  route.heard(told(false, "arrived")); // of a goal before
  expect(sent).toEqual([1]);
  route.heard(told(true, "driving"));
  route.heard(told(false, "arrived"));
  expect(sent).toEqual([1, 2]);
  expect(route.words).toBe("waypoint 2 of 2");
  route.patrol = true;
  route.heard(told(true, "driving"));
  route.heard(told(false, "arrived"));
  expect(sent).toEqual([1, 2, 1]);
  route.heard(told(true, "driving"));
  route.heard(told(false, "failed"));
  expect(route.at).toBe(-1);
});

it("knows units of common messages", () => {
  expect(unitOf("sensor_msgs/msg/JointState", "position[3]")).toBe("rad");
  expect(unitOf("sensor_msgs/msg/Imu", "linear_acceleration.z")).toBe("m/s²");
  expect(unitOf("nav_msgs/msg/Odometry", "pose.pose.position.x")).toBe("m");
  expect(unitOf("nav_msgs/msg/Odometry", "twist.twist.angular.z")).toBe("rad/s");
  expect(unitOf("std_msgs/msg/UInt32", "data")).toBe("");
});

it("writes curves as a table", () => {
  const [a, b] = [new Series(), new Series()];
  a.add(1, 0.5);
  b.add(2, 3);
  expect(table([{ name: "a", series: a }, { name: 'b "x"', series: b }])).toBe('"time [s]","a","b ""x"""\n1,0.5,\n2,,3\n');
});
