// The types of graph.js, for tsc: those of the packages that are bundled in it.
export * from './entries/graph.js';
export type { NodeDisplayData, PartialButFor } from 'sigma/types';
export type { Settings } from 'sigma/settings';
export type { CameraState } from 'sigma/types';
export type { RenderParams } from 'sigma/types';
export type { ProgramInfo } from 'sigma/rendering';
