import type { IWidget } from 'aws-cdk-lib/aws-cloudwatch';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** A widget made when the template is written, so that it can show what was added after it. */
export class LateWidget implements IWidget {
  readonly width: number;
  readonly height: number;
  readonly #make: (size: Size) => IWidget;
  #place = { x: 0, y: 0 };

  constructor(width: number, height: number, make: (size: Size) => IWidget) {
    this.width = width;
    this.height = height;
    this.#make = make;
  }

  position(x: number, y: number): void {
    this.#place = { x, y };
  }

  // biome-ignore lint/suspicious/noExplicitAny: as the CDK declares it
  toJson(): any[] {
    const widget = this.#make({ width: this.width, height: this.height });
    widget.position(this.#place.x, this.#place.y);
    return widget.toJson();
  }
}
