// Images for a prompt: read in the page, scaled down where they are larger than the API takes, kept as base64.
import type { PromptImage } from '../bindings/bindings';

export type Picture = PromptImage & {
  id: number;
  name: string;
  width: number;
  height: number;
  bytes: number;
  scaled: boolean;
};

const TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
/** The longest edge that is sent; the API scales larger ones down itself or refuses them. */
export const LONGEST_EDGE = 2000;
/** Bytes of the encoded file. */
export const MOST_BYTES = 3_700_000;

let ids = 0;

export function isPicture(file: { type: string }): boolean {
  return TYPES.includes(file.type);
}

/** Rejects with a sentence for a person. */
export async function readPicture(file: File): Promise<Picture> {
  if (!isPicture(file)) throw new Error(`${file.name || 'The file'} is no PNG, JPEG, GIF or WebP image`);
  const bitmap = await createImageBitmap(file).catch(() => {
    throw new Error(`${file.name || 'The image'} could not be read`);
  });
  const { width, height } = bitmap;
  const name = file.name || 'pasted image';
  if (Math.max(width, height) <= LONGEST_EDGE && file.size <= MOST_BYTES) {
    bitmap.close();
    return {
      id: ++ids,
      name,
      width,
      height,
      bytes: file.size,
      scaled: false,
      media_type: file.type,
      data: await base64(file),
    };
  }
  const size = fit(width, height);
  const canvas = document.createElement('canvas');
  canvas.width = size.width;
  canvas.height = size.height;
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0, size.width, size.height);
  bitmap.close();
  let type = file.type === 'image/png' ? 'image/png' : 'image/jpeg';
  let blob = await encode(canvas, type);
  if (blob.size > MOST_BYTES) {
    type = 'image/jpeg';
    blob = await encode(canvas, type);
  }
  if (blob.size > MOST_BYTES) throw new Error(`${name} is too large, even scaled down`);
  return { id: ++ids, name, ...size, bytes: blob.size, scaled: true, media_type: type, data: await base64(blob) };
}

/** An image that was sent before and came back. */
export async function pictureFrom(image: PromptImage): Promise<Picture> {
  const raw = Uint8Array.from(atob(image.data), (letter) => letter.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([raw], { type: image.media_type })).catch(() => null);
  const size = { width: bitmap?.width ?? 0, height: bitmap?.height ?? 0 };
  bitmap?.close();
  return { ...image, ...size, id: ++ids, name: 'image', bytes: raw.length, scaled: false };
}

/** The size that keeps the shape and the longest edge. */
export function fit(width: number, height: number): { width: number; height: number } {
  const by = Math.min(1, LONGEST_EDGE / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * by)), height: Math.max(1, Math.round(height * by)) };
}

function encode(canvas: HTMLCanvasElement, type: string): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error('The image could not be scaled down'))),
      type,
      0.85,
    );
  });
}

function base64(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^data:[^,]*,/, ''));
    reader.onerror = () => reject(new Error('The image could not be read'));
    reader.readAsDataURL(blob);
  });
}
