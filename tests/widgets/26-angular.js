import 'zone.js';
import '@angular/compiler';
import { Component, NgZone, provideZoneChangeDetection } from '@angular/core';
import { FormControl, FormGroup, FormsModule, ReactiveFormsModule, Validators } from '@angular/forms';
import { bootstrapApplication } from '@angular/platform-browser';
import { CommonModule } from '@angular/common';

class Account {
  form = new FormGroup({
    name: new FormControl('', { validators: Validators.required }),
    code: new FormControl('', { updateOn: 'blur', validators: [Validators.pattern(/^[A-Z]{3}\d$/)] }),
    size: new FormControl(1),
    plan: new FormControl('free'),
    terms: new FormControl(false, { validators: Validators.requiredTrue }),
    pay: new FormControl(''),
  });
  nick = '';
  upper = '';
  rows = ['Ada', 'Bob', 'Cem'];
  gone = [];
  said = '';
  shout(text) {
    // A control that writes its own value back at every change.
    this.upper = text.toUpperCase();
  }
  remove(row) {
    setTimeout(() => {
      this.rows = this.rows.filter((one) => one !== row);
      this.gone.push(row);
    }, 60);
  }
  send() {
    this.said = JSON.stringify(this.form.value);
    globalThis.state = [this.said, this.nick, this.upper, this.gone].join('|');
  }
}

const Made = Component({
  selector: 'app-account',
  imports: [CommonModule, FormsModule, ReactiveFormsModule],
  template: `
  <form [formGroup]="form" (ngSubmit)="send()">
    <label>Name <input formControlName="name"></label>
    <label>Code <input formControlName="code"></label>
    <label>Size <input type="number" formControlName="size"></label>
    <label>Plan <select formControlName="plan"><option value="free">Free</option><option value="team">Team</option></select></label>
    <label *ngFor="let way of ['card', 'bank']"><input type="radio" formControlName="pay" [value]="way"> {{ way }}</label>
    <label><input type="checkbox" formControlName="terms"> I agree</label>
    <label>Nick <input [(ngModel)]="nick" [ngModelOptions]="{standalone: true}"></label>
    <label>Upper <input [value]="upper" (input)="shout($any($event.target).value)"></label>
    <ul><li *ngFor="let row of rows"><span>{{ row }}</span> <button type="button" (click)="remove(row)">Remove</button></li></ul>
    <button type="submit" [disabled]="form.invalid">Create</button>
    <p role="status" *ngIf="said">Created</p>
  </form>`,
})(Account);

bootstrapApplication(Made || Account, { providers: [provideZoneChangeDetection()] });
globalThis.saves(() => globalThis.state);
void NgZone;
