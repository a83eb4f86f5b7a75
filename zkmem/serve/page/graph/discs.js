// How nodes are drawn: each is a point, which the shader makes a disc, or a ring if the note is missing. One call draws
// all points; sigma's own circles are instances, for which graphics in software take ten times as long.
import { NodeProgram, floatColor } from '../vendor/graph.js';

/** @import { ProgramInfo, RenderParams } from '../vendor/graph.js' */

const { FLOAT, UNSIGNED_BYTE, POINTS } = WebGLRenderingContext;

const VERTEX = /* glsl */ `
attribute vec2 a_position;
attribute float a_size;
attribute vec4 a_color;
attribute vec4 a_inside;
attribute vec4 a_id;
uniform mat3 u_matrix;
uniform float u_sizeRatio;
uniform float u_pixelRatio;
uniform float u_downSizingRatio;
varying vec4 v_color;
varying vec4 v_inside;
varying float v_pixel;

void main() {
  float diameter = 2.0 * a_size / u_sizeRatio * u_pixelRatio;
  #ifdef PICKING_MODE
  diameter = max(diameter / u_downSizingRatio, 3.0); // small ones can be hit, too
  v_color = a_id;
  v_color.a *= 255.0 / 254.0;
  #else
  v_color = a_color;
  v_color.a *= 255.0 / 254.0; // a float has no room for the last bit of the alpha
  v_inside = a_inside;
  #endif
  gl_Position = vec4((u_matrix * vec3(a_position, 1.0)).xy, 0.0, 1.0);
  gl_PointSize = diameter;
  v_pixel = 1.0 / diameter;
}`;

const FRAGMENT = /* glsl */ `
precision mediump float;
varying vec4 v_color;
varying vec4 v_inside;
varying float v_pixel;

void main() {
  float depth = 0.5 - length(gl_PointCoord - 0.5); // from the edge inwards, in diameters
  #ifdef PICKING_MODE
  if (depth < 0.0) discard;
  gl_FragColor = v_color;
  #else
  vec4 body = v_inside.a > 0.0 ? mix(v_color, v_inside, clamp(depth / v_pixel - 1.2, 0.0, 1.0)) : v_color;
  gl_FragColor = body * clamp(depth / v_pixel + 0.25, 0.0, 1.0);
  #endif
}`;

/** Draws nodes by `x`, `y`, `size`, `color` and `inside`, the colour within a ring; without `inside` it is a disc. */
export class DiscProgram extends NodeProgram {
  getDefinition() {
    const colour = { size: 4, type: UNSIGNED_BYTE, normalized: true };
    return {
      VERTICES: 1,
      VERTEX_SHADER_SOURCE: VERTEX,
      FRAGMENT_SHADER_SOURCE: FRAGMENT,
      METHOD: POINTS,
      UNIFORMS: ['u_matrix', 'u_sizeRatio', 'u_pixelRatio', 'u_downSizingRatio'],
      ATTRIBUTES: [
        { name: 'a_position', size: 2, type: FLOAT },
        { name: 'a_size', size: 1, type: FLOAT },
        { name: 'a_color', ...colour },
        { name: 'a_inside', ...colour },
        { name: 'a_id', ...colour },
      ],
    };
  }

  /**
   * @param {number} id
   * @param {number} start
   * @param {{ x: number, y: number, size: number, color: string, inside?: string }} data
   */
  processVisibleItem(id, start, { x, y, size, color, inside }) {
    this.array.set([x, y, size, floatColor(color), inside ? floatColor(inside) : 0, id], start);
  }

  /**
   * @param {RenderParams} params
   * @param {ProgramInfo} program
   */
  setUniforms({ matrix, sizeRatio, pixelRatio, downSizingRatio }, { gl, uniformLocations: at }) {
    gl.uniformMatrix3fv(at.u_matrix, false, matrix);
    gl.uniform1f(at.u_sizeRatio, sizeRatio);
    gl.uniform1f(at.u_pixelRatio, pixelRatio);
    gl.uniform1f(at.u_downSizingRatio, downSizingRatio);
  }
}
