/** Charts that one often wants: for each chart which topics and fields, by their names. */

export interface Preset {
  name: string;
  charts: (readonly [topic: RegExp, field: RegExp][])[];
}

export const PRESETS: readonly Preset[] = [
  { name: "Feet", charts: [[[/foot_forces$|\/fsr$/i, /total/]], [[/\/ground_truth\/com$/, /point\.[xy]$/]]] },
  { name: "Knees", charts: [[[/^\/joint_states$/, /^position .*(knee|calf|shank)/i]], [[/^\/joint_states$/, /^effort .*(knee|calf|shank)/i]]] },
  { name: "IMU", charts: [[[/^\/imu\/data$/, /^angular_velocity\.[xyz]$/]], [[/^\/imu\/data$/, /^linear_acceleration\.[xyz]$/]]] },
  { name: "Odometry against truth", charts: [[[/^\/odom$/, /^pose\.pose\.position\.[xy]$/], [/^\/ground_truth\/(pose|odom)$/, /position\.[xy]$/]]] },
  { name: "Velocity", charts: [[[/^\/cmd_vel$/, /^(twist\.)?(linear\.[xy]|angular\.z)$/], [/^\/odom$/, /^twist\.twist\.(linear\.[xy]|angular\.z)$/]]] },
];
