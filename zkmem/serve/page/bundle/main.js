var v,De,ge,E,ye,ne,Fe,ee,Re,be,me,gt,z=Symbol.for("pv"),ie={},_e=[],bt=/^m(i|n|o|s|text|space)$/,ke=Array.isArray,we=_e.
slice,D=Object.assign;function H(t){t&&t.parentNode&&t.remove()}function oe(t,e,n){var i,r,_2,o={},f=arguments.length;for(_2 in e)
_2=="key"?i=e[_2]:_2=="ref"&&typeof t!="function"?r=e[_2]:o[_2]=e[_2];return f>2&&(o.children=f>3?we.call(arguments,2):n),
B(t,o,i,r,null)}function B(t,e,n,i,r){var _2={type:t,props:e,key:n,ref:i,__k:null,__:null,__b:0,__e:null,__c:null,constructor:z,
__v:r||++De,__i:-1,__u:0};return!r&&v.vnode&&v.vnode(_2),_2}function F(t){return t.children}function W(t,e){this.props=t,
this.context=e,this.__g=0}function U(t,e){if(e==null)return t.__&&U(t.__,t.__i+1);for(var n;e<t.__k.length;e++)if((n=t.__k[e])&&
n.__e)return n.__e;return typeof t.type!="function"||t.props.__P?null:U(t)}function kt(t){var e,n=t.__v,i=n.__e,r=[],_2=[],
o=t.__P;o&&((e=D({constructor:z},n)).__v=n.__v+1,v.vnode&&v.vnode(e),Se(o,e,n,t.__n,o.namespaceURI,32&n.__u?[i]:null,r,i||
U(n),32&n.__u,_2),e.__v=n.__v,e.__.__k[e.__i]=e,Be(r,e,_2),n.__=n.__e=null,e.__e!=i&&We(e))}function We(t){if((t=t.__)&&
t.__c&&!t.props.__P)return t.__e=null,t.__k.some(function(e){return e&&(t.__e=e.__e)}),We(t)}function je(t){(8&t.__g||(t.
__g|=8,E.push(t),ne++))&&ye==v.debounceRendering||((ye=v.debounceRendering)||queueMicrotask)(qe)}function qe(){try{for(var t,
e=1;E.length;)E.length>e&&E.sort(Fe),t=E.shift(),e=E.length,8&t.__g&&kt(t)}finally{(ne=E.length)&&(ye||queueMicrotask)(qe)}}
function Le(t,e,n,i,r,_2,o,f,c,a,s){var d,l,u,p,x,y,g=i.__k||_e,h=e.length;for(c=wt(n,e,g,c,h),d=0;d<h;d++)(u=n.__k[d])!=
null&&(l=~u.__i&&g[u.__i]||ie,u.__i=d,y=Se(t,u,l,r,_2,o,f,c,a,s),p=u.__e,(l.ref!=u.ref||8&l.__u)&&(l.ref&&xe(l.ref,null,
u,l),u.ref&&s.push(u.ref,u.__c||p,u)),x=x||p,4&u.__u?(c=Ie(u,c,t,!l.__v),l.__e&&(l.__e=null)):typeof u.type=="function"&&
y!==void 0?c=y:p&&(c=p.nextSibling),u.__u&=-21);return n.__e=x,c}function wt(t,e,n,i,r){var _2,o,f,c,a,s,d,l,u,p=n.length,
x=p,y=0,g=0,h=t.__k=Array(r);for(_2=0;_2<r;_2++)(o=e[_2])!=null&&typeof o!="boolean"&&typeof o!="function"?(typeof o!="object"||o.constructor===String?o=h[_2]=B(null,o):ke(o)?o=h[_2]=B(F,{children:o}):o.constructor===z&&o.__b?o=h[_2]=B(o.type,
o.props,o.key,o.ref,o.__v):h[_2]=o,c=_2+y,o.__=t,o.__b=t.__b+1,f=null,~(a=o.__i=St(o,n,c,x))&&(x--,(f=n[a])&&(f.__u|=2)),
f&&f.__v?(o.__u|=16,a==c-1?y--:a==c+1?y++:a!=c&&(a>c?y--:y++,g=1)):(~a||(r>p?y--:r<p&&y++),typeof o.type!="function"&&(o.
__u|=4))):h[_2]=null;if(g){for(s=[],d=[],_2=0;_2<r;_2++)if((o=h[_2])&&16&o.__u){for(y=0,l=s.length;y<l;)s[u=y+l>>1]<o.__i?
y=u+1:l=u;s[y]=o.__i,d[_2]=y+1}for(y=s.length;_2--;)d[_2]&&(d[_2]==y?y--:h[_2].__u|=4)}if(x)for(_2=0;_2<p;_2++)!(f=n[_2])||
2&f.__u||(f.__e==i&&(i=U(f)),Ce(f,f));return i}function Ie(t,e,n,i){var r,_2,o,f;if(typeof t.type=="function"){if(t.props.
__P)return e;if(r=t.__k)for(_2=0;_2<r.length;_2++)r[_2]&&(r[_2].__=t,e=Ie(r[_2],e,n,!1));return e}for(e&&!e.parentNode&&
(e=U(t))&&!e.parentNode&&(e=null),o=t.__e,f=e;f&&f.nodeType==8;)f=f.nextSibling;for(o!=f&&(!i&&n.moveBefore&&o.parentNode?
n.moveBefore(o,e):n.insertBefore(o,e||null)),e=o;(e=e&&e.nextSibling)&&e.nodeType==8&&!e.data.startsWith("$s"););return e}
function St(t,e,n,i){var r,_2=t.key,o=t.type,f=e[n],c=f&&!(2&f.__u);if(f===null&&_2==null||c&&_2==f.key&&o==f.type)return n;
if(i>(c?1:0)){for(r=n-1;r>=0;r--)if((f=e[r])&&!(2&f.__u)&&_2==f.key&&o==f.type)return r;for(r=n+1;r<e.length;r++)if((f=e[r])&&
!(2&f.__u)&&_2==f.key&&o==f.type)return r}return-1}function He(t,e,n){n==null&&(n=""),e[0]=="-"?t.setProperty(e,n):t[e]=
n}function Y(t,e,n,i,r){var _2,o;if(e=="style")if(typeof n=="string")t.style.cssText=n;else{if(typeof i=="string"&&(t.style.
cssText=i=""),i)for(e in i)n&&e in n||He(t.style,e);if(n)for(e in n)i&&n[e]==i[e]||He(t.style,e,n[e])}else if(e[0]=="o"&&
e[1]=="n")typeof n!="function"&&(n=null),typeof i!="function"&&(i=null),(t.__e||(t.__e={}))[e]=n,n&&i||(o=me[e]||(me[e]=
xt(e)),(t.__a||(t.__a={}))[e]=be,_2=e!=(e=e.replace(Re,"$1")),(e=e.slice(2))[0]<"a"&&(e=e.toLowerCase()),n?t.addEventListener(
e,o,_2):t.removeEventListener(e,o,_2));else{if(r=="http://www.w3.org/2000/svg")e=e.replace(/xlink(H|:h)/,"h").replace(/sName$/,
"s");else if(e!="width"&&e!="height"&&e!="href"&&e!="list"&&e!="form"&&e!="tabIndex"&&e!="download"&&e!="rowSpan"&&e!="colSpan"&&e!="role"&&e!="popover"&&e in t)try{return void(t[e]=n??"")}catch{}if(typeof n=="function")return;n==null||n===
!1&&e[4]!="-"?t.removeAttribute(e):t.setAttribute(e,e=="popover"&&n==1?"":n)}}function xt(t){return function(e){var n=this.
__e;if(n){if(n=n[t],e[ee]==null)e[ee]=be++;else if(e[ee]<this.__a[t])return;return n(v.event?v.event(e):e)}}}function Se(t,e,n,i,r,_2,o,f,c,a){
var s,d,l,u,p,x,y,g,h,C,k,de,Ae,X2,O2,Oe,$2,j,T=e.type;if(e.constructor!==z)return null;128&n.__u&&(c=32&n.__u,s=n.__c.__z)&&
(e.__u|=c,d=_2=[],s.nodeType==8?f=te(s,_2):_2.push(s),f=_2[0]||f),(s=v.__b)&&s(e);e:if(typeof T=="function"){l=o.length;
try{if(g=e.props,h=(s=T.prototype)&&s.render,C=(s=T.contextType)&&i[s.__c],k=s?C?C.props.value:s.__:i,(u=n.__c)?(e.__c=u,
2&u.__g&&(u.__g|=1)):(h?e.__c=u=new T(g,k):(e.__c=u=new W(g,k),u.constructor=T,u.render=Pt),C&&C.sub(u),u.state||(u.state=
{}),u.__n=i,u.__g|=8,u.__h=[],u.__k=[]),h&&(u.__s||(u.__s=u.state),T.getDerivedStateFromProps&&(u.__s==u.state&&(u.__s=D(
{},u.__s)),D(u.__s,T.getDerivedStateFromProps(g,u.__s)))),p=u.props,x=u.state,u.__v=e,n.__c){if(g!==p&&h&&!T.getDerivedStateFromProps&&
u.componentWillReceiveProps&&u.componentWillReceiveProps(g,k),e.__v==n.__v&&!(8&u.__g)||!(4&u.__g)&&u.shouldComponentUpdate&&
u.shouldComponentUpdate(g,u.__s,k)===!1){e.__v!=n.__v&&(u.props=g,u.state=u.__s,u.__g&=-9),e.__e=n.__e,e.__k=n.__k,e.__k.
some(function(P){P&&(P.__=e)}),_e.push.apply(u.__h,u.__k),u.__k=[],u.__h.length&&o.push(u),f=U(n);break e}u.componentWillUpdate&&
u.componentWillUpdate(g,u.__s,k),h&&u.componentDidUpdate&&u.__h.push(function(){u.componentDidUpdate(p,x,y)})}else h&&!T.
getDerivedStateFromProps&&u.componentWillMount&&u.componentWillMount(),h&&u.componentDidMount&&u.__h.push(u.componentDidMount);
u.context=k,u.props=g,u.__P=t,u.__g&=-5,de=v.__r,Ae=h?25:0;do u.__g&=-9,de&&de(e),s=u.render(u.props,u.state=u.__s,u.context);while(8&
u.__g&&++Ae<25);h&&(_e.push.apply(u.__h,u.__k),u.__k=[]),u.state=u.__s,u.getChildContext&&(i=D({},i,u.getChildContext())),
h&&n.__c&&u.getSnapshotBeforeUpdate&&(y=u.getSnapshotBeforeUpdate(p,x)),X2=s&&s.type===F&&s.key==null?s.props.children:s,
g.__P&&(s=f,r=(t=g.__P).namespaceURI,c=_2=null,n.props&&n.props.__P!=t&&(n.__k.some(function(P){P&&Ce(P,P)}),n.__k=null),
f=n.__k?U(n,0):null),f=Le(t,ke(X2)?X2:[X2],e,n,i,r,_2,o,f,c,a),g.__P&&(e.__e=null,f=s),e.__u&=-161,d&&d.some(H),u.__h.length&&
o.push(u),1&u.__g&&(u.__g&=-4)}catch(P){if(o.length=l,e.__v=null,c||_2)if(P&&P.then){if(e.__u|=128|c,_2){for(~($2=_2.indexOf(
f||void 0))||($2=_2.length);(j=_2[$2-1])&&j.nodeType==8;)$2--;for(;$2<_2.length;$2++)if(j=_2[$2])if(_2[$2]=null,O2){if(j==
Oe)break}else{if(j.nodeType!=8)break;j.data.startsWith("$s")&&(Oe=te(O2=j))}}if(!O2){for(;f&&f.nodeType==8&&f.nextSibling;)
f=f.nextSibling;O2=f}(s=te(O2=e.__c.__z||(e.__c.__z=O2)))?(e.__e=O2,f=s):e.__e=f,f=f&&f.nextSibling}else _2&&_2.some(H);else
e.__e=n.__e;e.__k||(e.__k=n.__k||[]),P&&P.then||Ve(e),v.__e(P,e,n)}}else f=e.__e=Ct(n.__e,e,n,i,r,_2,o,c,a,t);return(s=v.
diffed)&&s(e),f}function te(t,e){if(t&&t.nodeType==8&&t.data.startsWith("$s"))for(var n=1;t=t.nextSibling;){if(t.nodeType==
8){if(t.data.startsWith("$s"))n++;else if(t.data.startsWith("/$s")&&!--n)return t}e&&e.push(t)}}function Ve(t){t&&(t.__c&&
(t.__c.__g|=4),t.__k&&t.__k.some(Ve))}function Be(t,e,n){for(var i=0;i<n.length;)xe(n[i++],n[i++],n[i++]);v.__c&&v.__c(e,
t),t.some(function(r){try{t=r.__h,r.__h=[],t.some(function(_2){_2.call(r)})}catch(_2){v.__e(_2,r.__v)}})}function Ct(t,e,n,i,r,_2,o,f,c,a){
var s,d,l,u,p,x,y,g,h=n.props||ie,C=e.props,k=e.type;if(k=="svg"?r="http://www.w3.org/2000/svg":k=="math"?r="http://www.w3.org/1998/Math/MathML":r||(r="http://www.w3.org/1999/xhtml"),_2){for(s=0;s<_2.length;s++)if((p=_2[s])&&(k?p.localName==
k:p.nodeType==3)){t=p,_2[s]=null;break}}if(!t){if(g=a.ownerDocument||document,!k)return g.createTextNode(C);t=g.createElementNS(
r,k,C.is?C:a),f&&(v.__m&&v.__m(e,_2),f=!1),_2=null}if(k){if(a=k=="template"&&t.content||t,_2=k=="textarea"&&C.defaultValue!=
null?null:_2&&we.call(a.childNodes),!f&&_2)for(h={},s=0;s<t.attributes.length;s++)h[(p=t.attributes[s]).name]=p.value;for(s in h)
p=h[s],s=="dangerouslySetInnerHTML"?l=p:s=="children"||s in C||s=="value"&&"defaultValue"in C||s=="checked"&&"defaultChecked"in C||Y(t,s,null,p,r);for(s in C)p=C[s],s=="children"?u=p:s=="dangerouslySetInnerHTML"?d=p:s=="value"?x=p:s=="checked"?y=p:f&&typeof p!="function"||h[s]===p||Y(t,s,p,h[s],r);d?(f||l&&(d.__html==l.__html||d.__html==t.innerHTML)||(t.innerHTML=
d.__html),e.__k=[]):(l&&(t.textContent=""),(k=="foreignObject"||r=="http://www.w3.org/1998/Math/MathML"&&bt.test(k))&&(r=
"http://www.w3.org/1999/xhtml"),Le(a,ke(u)?u:[u],e,n,i,r,_2,o,_2?_2[0]:n.__k&&U(n,0),f,c),_2&&_2.some(H)),f&&k!="textarea"||(s="value",k=="progress"&&x==null?t.removeAttribute(s):x==null||x===t[s]&&(k!="progress"||x)||Y(t,s,x,h[s],r),s="checked",y!=null&&y!=t[s]&&Y(t,s,y,h[s],r))}else h===C||f&&t.data==C||(t.data=C);return t}function xe(t,e,n,i){try{typeof t==
"function"?e?e.__x=t(e)||1:i&&(i=i.__c||i.__e)&&(e=i.__x)&&(i.__x=null,typeof e=="function"?e():t(null)):t.current=e}catch(r){
v.__e(r,n)}}function Ce(t,e,n){var i,r,_2,o;if(v.unmount&&v.unmount(t),!(i=t.ref)||i.current&&i.current!=t.__e||xe(i,null,
e,t),i=t.__c){if(i.componentWillUnmount)try{i.componentWillUnmount()}catch(f){v.__e(f,e)}i.__P=i.__n=null}if(i=t.__k)for(o=
0;o<i.length;o++)i[o]&&Ce(i[o],e,typeof t.type!="function"||n&&!t.props.__P);!n&&(i=t.__c)&&(i=i.__z)&&(r=te(i,_2=[]))&&
(i==t.__e&&_2.some(H),H(r),H(i)),n||H(t.__e),t.__e=t.__c=t.__=null}function Pt(t,e,n){return this.constructor(t,n)}function Tt(t,e){
var n,i,r,_2;v.__&&v.__(t,e),e.nodeType==9&&(e=e.documentElement),i=(n=t&&32&t.__u)?null:e.__k,e.__k=B(F,{children:[t]}),
r=[],_2=[],Se(e,e.__k,i||ie,ie,e.namespaceURI,i?null:e.firstChild?we.call(e.childNodes):null,r,i?i.__e:e.firstChild,n,_2),
Be(r,e.__k,_2),e.__k.props.children=null}v={__e:function(t,e,n,i){for(var r,_2,o;e=e.__;)if((r=e.__c)&&!(1&r.__g)){r.__g|=
4;try{if((o=(_2=r.constructor)&&_2.getDerivedStateFromError)&&r.setState(_2.getDerivedStateFromError(t)),r.componentDidCatch&&
(r.componentDidCatch(t,i||{}),o=1),o&&8&r.__g)return void(r.__g|=2)}catch(f){t=f}}throw ne=0,t}},De=0,ge=function(t){return t!=
null&&t.constructor===z},W.prototype.setState=function(t,e){var n=this.__s;n&&n!=this.state||(n=this.__s=D({},this.state)),
typeof t=="function"&&(t=t(D({},n),this.props)),t&&(D(n,t),this.__v&&(e&&this.__k.push(e),je(this)))},W.prototype.forceUpdate=
function(t){this.__v&&(this.__g|=4,t&&this.__h.push(t),je(this))},W.prototype.render=F,E=[],ne=0,Fe=function(t,e){return t.
__v.__b-e.__v.__b},ee=Symbol(),Re=/(PointerCapture)$|Capture$/i,be=0,me={},gt=0;var Ge=function(t,e,n,i){var r;e[0]=0;for(var _2=1;_2<
e.length;_2++){var o=e[_2++],f=e[_2]?(e[0]|=o?1:2,n[e[_2++]]):e[++_2];o===3?i[0]=f:o===4?i[1]=Object.assign(i[1]||{},f):
o===5?(i[1]=i[1]||{})[e[++_2]]=f:o===6?i[1][e[++_2]]+=f+"":o?(r=t.apply(f,Ge(t,f,n,["",null])),i.push(r),f[0]?e[0]|=2:(e[_2-
2]=0,e[_2]=r)):i.push(f)}return i},ze=new Map;function Je(t){var e=ze.get(this);return e||(e=new Map,ze.set(this,e)),(e=
Ge(this,e.get(t)||(e.set(t,e=(function(n){for(var i,r,_2=1,o="",f="",c=[0],a=function(l){_2===1&&(l||(o=o.replace(/^\s*\n\s*|\s*\n\s*$/g,
"")))?c.push(0,l,o):_2===3&&(l||o)?(c.push(3,l,o),_2=2):_2===2&&o==="..."&&l?c.push(4,l,0):_2===2&&o&&!l?c.push(5,0,!0,o):
_2>=5&&((o||!l&&_2===5)&&(c.push(_2,0,o,r),_2=6),l&&(c.push(_2,l,0,r),_2=6)),o=""},s=0;s<n.length;s++){s&&(_2===1&&a(),a(
s));for(var d=0;d<n[s].length;d++)i=n[s][d],_2===1?i==="<"?(a(),c=[c],_2=3):o+=i:_2===4?o==="--"&&i===">"?(_2=1,o=""):o=
i+o[0]:f?i===f?f="":o+=i:i==='"'||i==="'"?f=i:i===">"?(a(),_2=1):_2&&(i==="="?(_2=5,r=o,o=""):i==="/"&&(_2<5||n[s][d+1]===
">")?(a(),_2===3&&(c=c[0]),_2=c,(c=c[0]).push(2,0,_2),_2=0):i===" "||i==="	"||i===`
`||i==="\r"?(a(),_2=2):o+=i),_2===3&&o==="!--"&&(_2=4,c=c[0])}return a(),c})(t)),e),arguments,[])).length>1?e:e[0]}var M,
b,Pe,Ze,Te=Object.is,re=0,_t=[],Ne=[],w=v,Ke=w.__b,Qe=w.__r,Xe=w.diffed,Ye=w.__c,et=w.unmount,tt=w.__;function q(t,e){w.
__h&&w.__h(b,t,re||e),re=0;var n=b.__H||(b.__H={__:[],__h:[]});return t>=n.__.length&&n.__.push({}),n.__[t]}function ot(t){
return re=1,rt(st,t)}function rt(t,e,n){var i=q(M++,2);if(i.t=t,!i.__c&&(i.__=[n?n(e):st(void 0,e),function(_2){var o=(i.
__N||i.__)[0],f=i.t(o,_2);Te(o,f)||(i.__N=[f,i.__[1]],i.__c.setState({}))}],i.__c=b,!b.__f)){b.__f=!0;var r=b.shouldComponentUpdate;
b.shouldComponentUpdate=function(_2,o,f){var c=this.__H;if(!c)return!0;var a=!1,s=this.props!=_2;if(c.__.some(function(l){
l.__N&&(a=!0,Te(l.__[0],l.__N[0])||(s=!0))}),r){var d=r.call(this,_2,o,f);return a?d||s:d}return!a||s}}return i.__}function ut(t,e){
var n=q(M++,3);!w.__s&&Ee(n.__H,e)&&(n.__P=!0,n.__=t,n.u=e,b.__H.__h.push(n))}function Nt(t,e){var n=q(M++,4);!w.__s&&Ee(
n.__H,e)&&(n.__P=!1,n.__=t,n.u=e,b.__h.push(n))}function ft(t){return re=5,ue(function(){return{current:t}},[])}function ue(t,e){
var n=q(M++,7);return Ee(n.__H,e)&&(n.__=t(),n.__H=e),n.__}function $t(t){var e=q(M++,10),n=ot();return e.__=t,b.componentDidCatch||
(b.componentDidCatch=function(i,r){e.__&&e.__(i,r),n[1](i)}),[n[0],function(){return n[1]()}]}function Et(){var t=q(M++,
11);if(!t.__){for(var e=b.__v;!e.__m&&e.__;)e=e.__;var n=e.__m||(e.__m=[0,0]);t.__="P"+n[0]+"-"+n[1]++}return t.__}function Ut(){
var t;do{for(;t=Ne.shift();)try{G(t)}catch(n){w.__e(n,{__:(t=t.__P)&&t.__v})}for(;t=_t.shift();){var e=t.__H;if(t.__P&&e)
try{e.__h.some(G),e.__h.some($e),e.__h=[]}catch(n){e.__h=[],w.__e(n,t.__v)}}}while(Ne.length)}w.__b=function(t){b=null,Ke&&
Ke(t)},w.__=function(t,e){t&&e.__k&&e.__k.__m&&(t.__m=e.__k.__m),tt&&tt(t,e)},w.__r=function(t){Qe&&Qe(t),M=0;var e=(b=t.
__c).__H;e&&(Pe==b?b.__h=[]:(e.__h.some(G),e.__h.some($e),M=0),e.__h=[],e.__.some(function(n){n.__N&&(n.__=n.__N),n.u=n.
__N=void 0})),Pe=b},w.diffed=function(t){Xe&&Xe(t);var e=t.__c;e&&e.__H&&(e.__H.__h.length&&it(_t.push(e)),e.__H.__.some(
function(n){n.u&&(n.__H=n.u)})),Pe=b=null},w.__c=function(t,e){e.some(function(n){try{n.__h.some(G),n.__h=n.__h.filter(function(i){
return!i.__||$e(i)})}catch(i){n.__h=[function(){throw i}]}}),Ye&&Ye(t,e)},w.unmount=function(t){et&&et(t);var e,n,i=t.__c;
i&&i.__H&&(i.__H.__.some(function(r){try{if(r.__P&&r.__c){if(n===void 0){for(n=t.__;n&&(!n.__c||!n.__c.__P);)n=n.__;n=n&&
n.__c}r.__P=n,it(Ne.push(r))}else G(r)}catch(_2){e=_2}}),i.__H=void 0,e&&w.__e(e,i.__v))};var nt=typeof requestAnimationFrame==
"function";function Mt(t){var e,n=function(){clearTimeout(i),nt&&cancelAnimationFrame(e),setTimeout(t)},i=setTimeout(n,35);
nt&&(e=requestAnimationFrame(n))}function it(t){t!=1&&Ze==w.requestAnimationFrame||((Ze=w.requestAnimationFrame)||Mt)(Ut)}
function G(t){var e=b,n=t.__c;typeof n=="function"&&(t.__c=void 0,n()),b=e}function $e(t){var e=b;t.__c=t.__(),b=e}function Ee(t,e){
return!t||t.length!=e.length||e.some(function(n,i){return!Te(n,t[i])})}function st(t,e){return typeof e=="function"?e(t):
e}var At=Symbol.for("preact-signals");function ae(){if(N>1)N--;else{var t,e=!1;for((function(){var r=se;for(se=void 0;r!==
void 0;){var _2=r.S;if(_2.v===r.v)for(var o=_2.t;o!==void 0;o=o.x)o.i===r.i&&(o.i=_2.i);r=r.o}})();Z!==void 0;){var n=Z;
for(Z=void 0,fe++;n!==void 0;){var i=n.u;if(n.u=void 0,n.f&=-3,!(8&n.f)&&at(n))try{n.c()}catch(r){e||(t=r,e=!0)}n=i}}if(fe=
0,N--,e)throw t}}function le(t){if(N>0)return t();Ue=++Ot,N++;try{return t()}finally{ae()}}var J,m=void 0;function L(t){
var e=m,n=J;m=void 0,J=void 0;try{return t()}finally{m=e,J=n}}var Z=void 0,N=0,fe=0,Ot=0,Ue=0,se=void 0,ce=0;function ct(t){
if(m!==void 0){var e=t.n;if(e===void 0||e.t!==m)return e={i:0,S:t,p:m.s,n:void 0,t:m,e:void 0,x:void 0,r:e},m.s!==void 0&&
(m.s.n=e),m.s=e,t.n=e,32&m.f&&t.S(e),e;if(e.i===-1)return e.i=0,e.n!==void 0&&(e.n.p=e.p,e.p!==void 0&&(e.p.n=e.n),e.p=m.
s,e.n=void 0,m.s.n=e,m.s=e),e}}function S(t,e){this.v=t,this.i=0,this.n=void 0,this.t=void 0,this.l=0,this.W=e?.watched,
this.Z=e?.unwatched,this.name=e?.name}S.prototype.brand=At;S.prototype.h=function(){return!0};S.prototype.S=function(t){
var e=this,n=this.t;n!==t&&t.e===void 0&&(t.x=n,this.t=t,n!==void 0?n.e=t:L(function(){var i;(i=e.W)==null||i.call(e)}))};
S.prototype.U=function(t){var e=this;if(this.t!==void 0){var n=t.e,i=t.x;n!==void 0&&(n.x=i,t.e=void 0),i!==void 0&&(i.e=
n,t.x=void 0),t===this.t&&(this.t=i,i===void 0&&L(function(){var r;(r=e.Z)==null||r.call(e)}))}};S.prototype.subscribe=function(t){
var e=this;return A(function(){var n=e.value;L(function(){return t(n)})},{name:"sub"})};S.prototype.valueOf=function(){return this.
value};S.prototype.toString=function(){return this.value+""};S.prototype.toJSON=function(){return this.value};S.prototype.
peek=function(){var t=this;return L(function(){return t.value})};Object.defineProperty(S.prototype,"value",{get:function(){
var t=ct(this);return t!==void 0&&(t.i=this.i),this.v},set:function(t){if(t!==this.v){if(fe>100)throw new Error("Cycle detected");(function(n){N!==0&&fe===0&&n.l!==Ue&&(n.l=Ue,se={S:n,v:n.v,i:n.i,o:se})})(this),this.v=t,this.i++,ce++,N++;try{
for(var e=this.t;e!==void 0;e=e.x)e.t.N()}finally{ae()}}}});function K(t,e){return new S(t,e)}function at(t){for(var e=t.
s;e!==void 0;e=e.n)if(e.S.i!==e.i||!e.S.h()||e.S.i!==e.i)return!0;return!1}function lt(t){for(var e=t.s;e!==void 0;e=e.n){
var n=e.S.n;if(n!==void 0&&(e.r=n),e.S.n=e,e.i=-1,e.n===void 0){t.s=e;break}}}function pt(t){for(var e=t.s,n=void 0;e!==
void 0;){var i=e.p;e.i===-1?(e.S.U(e),i!==void 0&&(i.n=e.n),e.n!==void 0&&(e.n.p=i)):n=e,e.S.n=e.r,e.r!==void 0&&(e.r=void 0),
e=i}t.s=n}function R(t,e){S.call(this,void 0,e),this.x=t,this.s=void 0,this.g=ce-1,this.f=4}R.prototype=new S;R.prototype.
h=function(){if(this.f&=-3,1&this.f)return!1;if((36&this.f)==32||(this.f&=-5,this.g===ce))return!0;if(this.g=ce,this.f|=
1,this.i>0&&!at(this))return this.f&=-2,!0;var t=m;try{lt(this),m=this;var e=this.x();(16&this.f||this.v!==e||this.i===0)&&
(this.v=e,this.f&=-17,this.i++)}catch(n){this.v=n,this.f|=16,this.i++}return m=t,pt(this),this.f&=-2,!0};R.prototype.S=function(t){
if(this.t===void 0){this.f|=36;for(var e=this.s;e!==void 0;e=e.n)e.S.S(e)}S.prototype.S.call(this,t)};R.prototype.U=function(t){
if(this.t!==void 0&&(S.prototype.U.call(this,t),this.t===void 0)){this.f&=-33;for(var e=this.s;e!==void 0;e=e.n)e.S.U(e)}};
R.prototype.N=function(){if(!(2&this.f)){this.f|=6;for(var t=this.t;t!==void 0;t=t.x)t.t.N()}};Object.defineProperty(R.prototype,
"value",{get:function(){if(1&this.f)throw new Error("Cycle detected");var t=ct(this);if(this.h(),t!==void 0&&(t.i=this.i),
16&this.f)throw this.v;return this.v}});function pe(t,e){return new R(t,e)}function ht(t){var e=t.j;if(t.j=void 0,typeof e==
"function"){N++;var n=m;m=void 0;try{e()}catch(i){throw t.f&=-2,t.f|=8,Me(t),i}finally{m=n,ae()}}}function Me(t){for(var e=t.
s;e!==void 0;e=e.n)e.S.U(e);t.x=void 0,t.s=void 0,ht(t)}function jt(t){if(m!==this)throw new Error("Out-of-order effect");
pt(this),m=t,this.f&=-2;try{8&this.f&&Me(this)}finally{ae()}}function I(t,e){this.x=t,this.j=void 0,this.s=void 0,this.u=
void 0,this.f=32,this.name=e?.name,J&&J.push(this)}I.prototype.c=function(){var t=this.S();try{if(8&this.f||this.x===void 0)
return;var e=this.x();typeof e=="function"&&(this.j=e)}finally{t()}};I.prototype.S=function(){if(1&this.f)throw new Error(
"Cycle detected");this.f|=1,this.f&=-9,ht(this),lt(this),N++;var t=m;return m=this,jt.bind(this,t)};I.prototype.N=function(){
2&this.f||(this.f|=2,this.u=Z,Z=this)};I.prototype.d=function(){this.f|=8,1&this.f||Me(this)};I.prototype.dispose=function(){
this.d()};function A(t,e){var n=new I(t,e);try{n.c()}catch(r){throw n.d(),r}var i=n.d.bind(n);return i[Symbol.dispose]=i,
i}var vt,ve,he,Ht=typeof window<"u"&&!!window.__PREACT_SIGNALS_DEVTOOLS__,dt=[];A(function(){vt=this.N})();function V(t,e){
v[t]=e.bind(null,v[t]||function(){})}function Q(t){if(he){var e=he;he=void 0,e()}he=t&&t.S()}function yt(t){var e=this,n=t.
data,i=Ft(n);i.name="ReactiveDom",i.value=n;var r=ue(function(){for(var f=e,c=e.__v;c=c.__;)if(c.__c){c.__c.__$f|=4;break}
var a=pe(function(){var u=i.value.value;return u===0?0:u===!0?"":u||""}),s=pe(function(){return!Array.isArray(a.value)&&
!ge(a.value)}),d=A(function(){if(this.N=mt,s.value){var u=a.value;f.__v&&f.__v.__e&&f.__v.__e.nodeType===3&&(f.__v.__e.data=
u)}}),l=e.__$u.d;return e.__$u.d=function(){d(),l.call(this)},[s,a]},[]),_2=r[0],o=r[1];return _2.value?o.peek():o.value}
yt.displayName="ReactiveTextNode";Object.defineProperties(S.prototype,{constructor:{configurable:!0,value:oe(F,null).constructor},
type:{configurable:!0,value:yt},props:{configurable:!0,get:function(){var t=this;return{data:{get value(){return t.value}}}}},
__b:{configurable:!0,value:1}});V("__b",function(t,e){if(Q(),ve=void 0,typeof e.type=="string"){var n,i=e.props;for(var r in i)
if(r!=="children"){var _2=i[r];_2 instanceof S&&(n||(e.__np=n={}),n[r]=_2,i[r]=_2.peek())}}t(e)});V("__r",function(t,e){
if(t(e),e.type!==F){Q();var n,i=e.__c;i&&(i.__$f&=-2,(n=i.__$u)===void 0&&(i.__$u=n=(function(r,_2){var o;return A(function(){
o=this},{name:_2}),o.c=r,o})((function(r){return function(){var _2;Ht&&((_2=this.y)==null||_2.call(this)),r.__$f|=1,r.setState(
{})}})(i),typeof e.type=="function"?e.type.displayName||e.type.name:""))),ve=i,Q(n)}});V("__e",function(t,e,n,i){Q(),ve=
void 0,t(e,n,i)});V("diffed",function(t,e){Q(),ve=void 0;var n;if(typeof e.type=="string"&&(n=e.__e)){var i=e.__np,r=e.props,
_2=n.U;if(_2)for(var o in _2){var f=_2[o];f===void 0||i&&o in i||(f.d(),_2[o]=void 0)}if(i){_2||(_2={},n.U=_2);for(var c in i){
var a=_2[c],s=i[c];a===void 0?(a=Dt(n,c,s,r),_2[c]=a):a.o(s,r)}}}t(e)});function Dt(t,e,n,i){var r=e in t&&t.ownerSVGElement===
void 0,_2=K(n);return{o:function(o,f){_2.value=o,i=f},d:A(function(){this.N=mt;var o=_2.value.value;i[e]!==o&&(i[e]=o,r?
t[e]=o:o!=null&&(o!==!1||e[4]==="-")?t.setAttribute(e,o):t.removeAttribute(e))})}}V("unmount",function(t,e){if(typeof e.
type=="string"){var n=e.__e;if(n){var i=n.U;if(i){n.U=void 0;for(var r in i){var _2=i[r];_2&&_2.d()}}}var o=e.__np;if(o){
var f=e.props;for(var c in o)f[c]=o[c]}e.__np=void 0}else{var a=e.__c;if(a){a.__$f|=8;var s=a.__$u;s&&(a.__$u=void 0,s.d())}}
t(e)});V("__h",function(t,e,n,i){i<3&&(e.__$f|=2),t(e,n,i)});W.prototype.shouldComponentUpdate=function(t,e){if(this.__R)
return!0;var n=this.__$u,i=n&&n.s!==void 0;for(var r in e)return!0;if(this.__f||typeof this.u=="boolean"&&this.u===!0){var _2=2&
this.__$f;if(!(i||_2||4&this.__$f)||1&this.__$f)return!0}else if(!(i||4&this.__$f)||3&this.__$f)return!0;for(var o in t)
if(o!=="__source"&&t[o]!==this.props[o])return!0;for(var f in this.props)if(!(f in t))return!0;return!1};function Ft(t,e){
return ue(function(){return K(t,e)},[])}var Rt=function(t){queueMicrotask(function(){queueMicrotask(t)})};function Wt(){
le(function(){for(var t;t=dt.shift();)vt.call(t)})}function mt(){dt.push(this)===1&&(v.requestAnimationFrame||Rt)(Wt)}function qt(t,e,...n){
return this[0]=3,oe(t,e,...n)}var nn=Je.bind(qt);var ApiError=class extends Error{constructor(status,{kind,message,...data}){super(message),this.name="ApiError",this.status=
status,this.kind=kind,this.data=data}},statusOf=error=>error instanceof ApiError?error.status:void 0;var CAN_USE_PASSKEYS=typeof globalThis.PublicKeyCredential?.parseRequestOptionsFromJSON=="function",REASONS={InvalidStateError:"This device has a passkey of yours already.",NotAllowedError:"No passkey came: the question was closed or took too long, or there is no passkey for this server.",SecurityError:"Passkeys work at the public address of the server only."},usePasskey=options=>asked(
()=>navigator.credentials.get({publicKey:PublicKeyCredential.parseRequestOptionsFromJSON(options)})),makePasskey=options=>asked(
()=>navigator.credentials.create({publicKey:PublicKeyCredential.parseCreationOptionsFromJSON(options)}));async function asked(ask2){
try{return JSON.stringify(await ask2())}catch(error){throw error instanceof DOMException?new Error(REASONS[error.name]??
error.message,{cause:error}):error}}var FOLDER=new URL(".",location.href).pathname,fileOf=path2=>new URL(path2,import.meta.url).href,addressOf=name=>new URL(
`../${encodeURIComponent(name)}/`,location.href).href;var vault=K(null),changed=K({names:[],by:null,at:0}),connection=K("connecting");function canWrite(name){let{can_write:may=!1,
folder:folder2=""}=vault.value??{};return may&&(!folder2||name.startsWith(`${folder2}/`))}var unseen=K(null),proposals=K(
0),proposed=K([]),now=K(Date.now()),route=K({view:"",name:null,list:null,subpath:"",at:"",named:""}),address=K({hash:"",
position:0}),confirmLeave=K(null),tab=K("panel"),openNote=K(null),openFolders=K(new Set),pinned=K([]),sliderWanted=K(!1),
takeFiles=K(null),depth=K(0),toasts=K([]),toastCount=K(0),helpShown=K(!1),offered=K([]),paletteShown=K(!1),creating=K(null),
noteToEdit=K(null),undoing=K(!1),signInsShown=K(!1),tokenQuestion=K(null),isSignInNeeded=K(!1),tokensGiven=K(0),theme=K(
"auto"),themeChanges=K(0),colourBy=K(null),labels=K(2),showMissing=K(!0),folder=K(""),tag=K(""),writer=K(""),days=K(0),leaveOut=K(
!1),until=K(null),sizeBy=K("weight"),sizeScale=K(1),pathEnds=K({from:"",to:""}),path=K([]),hiddenGroups=K(new Set),around=K(
0),noteNames=K([]),about=K({notes:0,links:0,missing:0,folders:[],entries:[],arranging:!0}),stage=K(null),picture=K(null),
layout=K(null),graphEtag=K(null),folderSlots=K({}),facts=K(null),noteToShow=K(null),style=K(null);var PREFIX="zkmem-token:",KEY=`${PREFIX}${FOLDER}`,tabs=new BroadcastChannel("zkmem:signed-out"),ALL="*";function read(storage,key2){
try{return storage().getItem(key2)}catch{return null}}function write(storage,key2,value){try{value===null?storage().removeItem(
key2):storage().setItem(key2,value)}catch{}}var tab2=()=>sessionStorage,device=()=>localStorage,inMemory=read(tab2,KEY)??
read(device,KEY),token=()=>inMemory;function setToken(value,remember=!1){inMemory=value,keepTokenOf(FOLDER,value,remember),
tokensGiven.value+=1}function keepTokenOf(folder2,value,remember=!1){write(tab2,PREFIX+folder2,value),write(device,PREFIX+
folder2,remember?value:null)}function otherTokens(){return keys().filter(key2=>key2!==KEY).map(key2=>{let kept2=read(device,
key2);return{folder:key2.slice(PREFIX.length),token:kept2??read(tab2,key2)??"",remembered:kept2!==null}})}function keys(){
let found=[tab2,device].flatMap(storage=>{try{return Object.keys(storage())}catch{return[]}});return[...new Set(found)].
filter(key2=>key2.startsWith(PREFIX))}function forgetToken(all=!1){all&&dropAll(),drop(),write(device,KEY,null),tabs.postMessage(
all?ALL:FOLDER)}function dropAll(){for(let key2 of keys())for(let storage of[tab2,device])write(storage,key2,null)}function drop(){
inMemory=null,write(tab2,KEY,null)}function onSignedOut(act){tabs.addEventListener("message",({data})=>{data!==FOLDER&&data!==
ALL||(data===ALL&&dropAll(),drop(),act())})}function onSignedIn(act){addEventListener("storage",({key:key2,newValue})=>{
key2!==KEY||!newValue||newValue===inMemory||(inMemory=newValue,write(tab2,KEY,newValue),tokensGiven.value+=1,act())})}function tokenGiven(){
let before2=tokensGiven.peek();return new Promise(resolve=>{let stop=tokensGiven.subscribe(count=>{count!==before2&&(resolve(
void 0),queueMicrotask(()=>stop()))})})}var KIND=document.querySelector('meta[name="sign-in"]')?.getAttribute("content"),HAS_PASSWORDS=KIND!=="token",HAS_PASSKEYS=KIND===
"passkey"&&CAN_USE_PASSKEYS,send=(path2,values,secret=null)=>fetch(path2,{method:"POST",body:new URLSearchParams(values),
headers:secret?{Authorization:`Bearer ${secret}`}:{}});async function answer(...form){let response=await send(...form),{
error,...given}=await response.json();if(!response.ok)throw new ApiError(response.status,error);return given}async function tokenFor(values){
let{token:given,vault:vault2}=await answer("session",values),folder2=vault2?new URL(addressOf(vault2)).pathname:FOLDER;return folder2===
FOLDER?given:(keepTokenOf(folder2,given,values.remember==="true"),location.href=folder2,new Promise(()=>{}))}async function tokenForPasskey(remember){
let passkey=await usePasskey(await answer("session/passkey",{}));return tokenFor({passkey,remember:String(remember)})}async function addPasskey(name,password){
let options=await answer("passkeys/begin",{password},token());return(await answer("passkeys",{name,passkey:await makePasskey(
options)},token())).name}var attempt=null,signInFromElsewhere=()=>attempt??=HAS_PASSWORDS?tryOthers():Promise.resolve(!1);
async function tryOthers(){for(let{token:other,remembered}of otherTokens()){let given=await tokenFor({token:other}).catch(
()=>null);if(given)return setToken(given,remembered),!0}return!1}async function endSignIn(){let used=token();if(!HAS_PASSWORDS)
return forgetToken();let others3=otherTokens().map(one=>({...one,end:one.folder.startsWith("/v/")?one.folder:""}));forgetToken(
!0);let ends=[{end:"",token:used},...others3].map(one=>one.token&&send(`${one.end}revoke`,{client_id:"page",token:one.token}).
catch(()=>{}));await Promise.all(ends)}var FIELDS='input:not([type="radio"], [type="checkbox"]), textarea, select, [contenteditable="true"]',isField=element=>!!element?.
closest(FIELDS),isTyping=()=>isField(document.activeElement);function belongsToField({target:target2}){return target2 instanceof
Element&&(isField(target2)||!!target2.closest("dialog"))}function useKey(key2,act){let latest=ft(act);latest.current=act,
Nt(()=>{let press=event=>{let plain2=!event.ctrlKey&&!event.metaKey&&!event.altKey&&!belongsToField(event);event.key!==key2||
event.defaultPrevented||!plain2||!latest.current||document.querySelector("dialog[open]")||(event.preventDefault(),latest.
current())};return addEventListener("keydown",press),()=>removeEventListener("keydown",press)},[])}async function request(path2,options={}){let{method="GET",params,headers={},body,signal,interrupt=method!=="GET",onSent}=options,
url=`api/${path2}${query(params)}`;for(;;){let used=token(),sent={"Zkmem-Client":"page",...headers,...used&&{Authorization:`Bearer ${used}`}},response=await send2(url,{method,headers:sent,body,signal,cache:"no-store"},onSent);if(response.ok||response.
status===304)return response;if(response.status!==401)throw await failure(response);token()!==used||used===null&&await signInFromElsewhere()||
await askForToken(used!==null,interrupt)}}async function isAccepted(value){if(!/^[\x21-\x7e]+$/.test(value))return!1;let headers={
"Zkmem-Client":"page",Authorization:`Bearer ${value}`},response=await send2("api/vault",{headers,cache:"no-store"});if(!response.
ok&&response.status!==401)throw await failure(response);return response.ok}function askForToken(refused,interrupt){let question=tokenQuestion.
peek()??{refused,shown:!1,...Promise.withResolvers()};return tokenQuestion.value={...question,shown:question.shown||interrupt||
!isTyping()},question.promise}var NOW={at:"",named:""},api={vault:()=>get("vault"),signIns:()=>get("signins"),endSignIn:name=>json(
request(`signins/${encodeName(name)}`,{method:"DELETE"})),passkeys:()=>get("passkeys"),removePasskey:id=>json(request(`passkeys/${encodeName(id)}`,{method:"DELETE"})),sync:()=>get("sync"),note:(name,depth2=0,{at:at2,named:named3}=NOW,signal=void 0)=>get(
`notes/${encodeName(name)}`,{depth:depth2,at:at2,named:named3},{signal}),part:(name,depth2,offset,{at:at2,named:named3}=NOW)=>get(
`parts/${encodeName(name)}`,{depth:depth2,offset,at:at2,named:named3}),mentions:name=>get(`mentions/${encodeName(name)}`),
home:count=>get("home",{count}),tree:(opened,count)=>get("tree",{open:JSON.stringify(opened),count}),graphAround:around2=>get(
"graph",{around:around2}),names:(q2,count,signal)=>get("names",{q:q2,count},{signal}),search:(q2,count,signal)=>get("search",{q:q2,count},{signal}),places:(q2,count,signal)=>get("places",{q:q2,count},{signal}),bases:()=>get("bases"),table:wanted=>get(
"table",wanted),hints:count=>get("hints",{count}),suggestions:count=>get("suggestions",{count}),findings:(kind,count,look)=>get(
"findings",{kind,count,look}),log:(name,count)=>get("log",{name,count}),given:()=>get("given",{count:100}),edit:edit=>get(
"log",{edit}),review:(before2,count)=>get("review",{before:before2,count}),brief:(filter,from,count)=>get("brief",{...filter,
from,count}),change:line=>get("brief/change",line),proposed:()=>get("proposed"),proposedChanges:(client,edit,from=0,count=void 0)=>get(
"proposed/changes",{client,edit,from,count}),blocked:client=>get("proposed/blocked",{client}),proposedVersions:(client,edit)=>get(
"proposed/versions",{client,edit}),revision:(name,rev)=>get("revision",{name,rev}),diff:(name,rev,to="")=>get("diff",{name,
rev,to}),blob:async path2=>(await request(`files/${encodeName(path2)}`)).blob(),save:(name,content,etag)=>{let condition=etag===
null?{"If-None-Match":"*"}:ifMatch(etag);return put(`notes/${encodeName(name)}`,{content},condition)},remove:(name,etag)=>json(
request(`notes/${encodeName(name)}`,{method:"DELETE",headers:ifMatch(etag)})),attach:(file,onSent)=>post("attachments",file,
{onSent}),detach:paths=>post("attachments/discard",{paths}),merge:texts=>post("merge",texts),resolve:edit=>post("resolve",
edit),link:edit=>post("link",edit),repoint:edit=>post("repoint",edit),setProperties:edit=>post("properties",edit),rename:edit=>post(
"rename",edit),extract:edit=>post("extract",edit),restore:edit=>post("restore",edit),undo:edits=>post("undo",edits),accept:edits=>post(
"proposed/accept",edits),drop:edits=>post("proposed/drop",edits),viewed:lines=>post("viewed",lines),markSeen:edits=>post(
"seen",edits),redo:edits=>post("redo",edits),preview:(path2,edit)=>post(path2,{...edit,preview:!0},{interrupt:!1})},encodeName=name=>name.
split("/").map(encodeURIComponent).join("/"),ifMatch=etag=>({"If-Match":`"${etag}"`}),json=async response=>(await response).
json(),get=(path2,params={},more={})=>json(request(path2,{params,...more})),JSON_TYPE={"Content-Type":"application/json"},
post=(path2,body,more={})=>json(request(path2,{method:"POST",headers:JSON_TYPE,body:JSON.stringify(body),...more})),put=(path2,body,headers)=>json(
request(path2,{method:"PUT",headers:{...JSON_TYPE,...headers},body:JSON.stringify(body)}));function query(params={}){let given=Object.
entries(params).filter(([,value])=>value!=null&&value!=="");return given.length?`?${new URLSearchParams(given.map(([name,
value])=>[name,String(value)]))}`:""}async function send2(url,options,onSent){try{return await(onSent?sendReporting(url,
options,onSent):fetch(url,options))}catch(error){throw error instanceof DOMException&&error.name==="AbortError"?error:new ApiError(
0,{kind:"NoAnswer",message:"The server does not answer; is it still running?"})}}var sendReporting=(url,{method="GET",headers,
body},onSent)=>new Promise((resolve,reject)=>{let sending=new XMLHttpRequest;sending.open(method,url);for(let[name,value]of Object.
entries(headers))sending.setRequestHeader(name,value);sending.upload.onprogress=({loaded:loaded3,total})=>onSent(loaded3/
total),sending.onload=()=>resolve(new Response(sending.responseText,sending)),sending.onerror=reject,sending.send(body)});
async function failure(response){let answer2=await response.json().catch(()=>null),fallback={kind:"HttpError",message:`The server answered ${response.status} ${response.statusText}`.trim()};return new ApiError(response.status,answer2?.error?.
message?answer2.error:fallback)}var TURN=Math.PI*(3-Math.sqrt(5));var MOST=2e4,keyFor=vault2=>`zkmem:map:${vault2}`,coloursKey=vault2=>`zkmem:colours:${vault2}`;function savedPositions(vault2){
let saved2=JSON.parse(localStorage.getItem(keyFor(vault2))??"{}");return key2=>{let position=Object.hasOwn(saved2,key2)?
saved2[key2]:null;return position?{x:position[0],y:position[1],community:position[2]}:void 0}}function savePositions(vault2,graph){
if(graph.order>MOST)return;let positions={};graph.forEachNode((key2,{x,y,community=-1})=>positions[key2]=[rounded(x),rounded(
y),community]),save(keyFor(vault2),positions)}var savedSlots=vault2=>JSON.parse(localStorage.getItem(coloursKey(vault2))??
"{}"),saveSlots=(vault2,slots)=>save(coloursKey(vault2),slots);function save(key2,value){try{localStorage.setItem(key2,JSON.
stringify(value))}catch(error){if(!(error instanceof DOMException&&error.name==="QuotaExceededError"))throw error}}function forgetPositions(vault2){
localStorage.removeItem(keyFor(vault2)),localStorage.removeItem(coloursKey(vault2))}var rounded=number=>Math.round(number*
10)/10;var END={"‪":"‬","‫":"‬","‭":"‬","‮":"‬","⁦":"⁩","⁧":"⁩","⁨":"⁩"},CONTROLS=/[\u202a-\u202e\u2066-\u2069]/,
setsDirection=text=>CONTROLS.test(text);function closed(text){let open3=[],result="";for(let letter of text){let isEnd=letter===
"‬"||letter==="⁩";if(END[letter])open3.push(END[letter]);else{if(isEnd&&open3.at(-1)!==letter)continue;isEnd&&open3.
pop()}result+=letter}return result+open3.reverse().join("")}var isolated=name=>setsDirection(name)?`⁨${closed(name)}⁩`:
name,directionless=text=>setsDirection(text)?text.replace(new RegExp(CONTROLS,"g"),""):text,previous=v.vnode;v.vnode=vnode=>{
let node=vnode;node.type===null&&typeof node.props=="string"&&setsDirection(node.props)&&(node.type="bdi",node.props={textContent:closed(
node.props)}),previous?.(vnode)};var MARKS=/[!"#$%&()*+,.:;<=>?@^`{|}~/[\]\\\s]+/gu,OUTSIDE=":is(.expansion, .embed)",headingKey=text=>text.replace(MARKS,
" ").trim().toLowerCase();function placeOf(body,subpath){if(subpath.startsWith("#^"))return blockOf(body,subpath.slice(2).
trim().toLowerCase());let found=[...body.querySelectorAll("[data-heading]")].filter(heading=>!heading.closest(OUTSIDE)).
map(element=>({level:Number(element.tagName[1]),key:element.getAttribute("data-heading"),element}));return headingAt(found,
subpath)?.element??null}function headingAt(headings2,subpath){let wanted=subpath.split("#").map(headingKey).filter(Boolean),
step=0,level=0;for(let heading of headings2)if(!(heading.level<=level||heading.key!==wanted[step])&&(level=heading.level,
step+=1,step===wanted.length))return heading;return null}function blockOf(body,id){let block=[...body.querySelectorAll(`[data-block="${CSS.escape(id)}"]`)].find(one=>!one.closest(OUTSIDE))?.closest("p, li, td, th, h1, h2, h3, h4, h5, h6");return block?.
matches(".lone")?block.previousElementSibling??block:block??null}function show(element){for(let at2=element.closest("details");at2;at2=at2.parentElement?.closest("details")??null)at2.open=!0;element.scrollIntoView({block:"start"}),element.classList.
add("reached"),setTimeout(()=>element.classList.remove("reached"),2e3)}var STORED=`zkmem.scrolled:${FOLDER}`,PATIENCE_MS=5e3,
MOST_WORDS=200;function stored(){try{return JSON.parse(sessionStorage.getItem(STORED)??"{}")}catch{return{}}}var views=new Map(
Object.entries(stored()).map(([position,view])=>[Number(position),view])),shown=-1,returning=-1,panel=()=>document.getElementById(
"panel");function rememberPlace(){let{hash,position}=address.peek();views.set(position,{hash,top:panel()?.scrollTop??0,focus:focused()})}
function forgetPlaces(from){for(let position of views.keys())position>=from&&views.delete(position)}function focused(){let element=panel()?.
contains(document.activeElement)?document.activeElement:null;if(!element?.matches(FOCUSABLE))return null;let what=whatIs(
element);return{what,at:likeIt(what).indexOf(element)}}var FOCUSABLE="a, button, summary, input",likeIt=what=>[...panel()?.
querySelectorAll(FOCUSABLE)??[]].filter(one=>whatIs(one)===what);function whatIs(element){let name=element.getAttribute(
"href")??element.getAttribute("aria-label")??element.textContent??"";return`${element.localName} ${name.slice(0,MOST_WORDS)}`}
function arrive(body,subpath){let{position}=address.peek();if(shown===position)return!0;let left=leftHere();if(left)return comeBack(
position,left);let place2=subpath?placeOf(body,subpath):null;return subpath&&!place2?!1:(shown=position,place2?show(place2):
scrollTo(0),!0)}function arriveAtView(){let{position}=address.peek();if(shown===position)return;let left=leftHere();left?
comeBack(position,left):scrollTo(0)}function leftHere(){let{hash,position}=address.peek(),left=views.get(position);return left?.
hash===hash?left:null}function scrollTo(top){let box=panel();return box?.scrollTo({top,behavior:"instant"}),!!box&&Math.
abs((box?.scrollTop??0)-top)<2}function focusOn({what,at:at2}){let element=likeIt(what)[at2];return element instanceof HTMLElement&&
!isTyping()&&element.focus({preventScroll:!0}),!!element}function comeBack(position,{top,focus}){let isFocused=()=>!focus||
focusOn(focus),isThere=scrollTo(top);if(isFocused()&&isThere)return shown=position,!0;if(returning===position)return isThere;
returning=position;let stop=new AbortController,end=()=>{address.peek().position===position&&(shown=position),returning=
-1,stop.abort()},grown2=new ResizeObserver(()=>{let isScrolled=scrollTo(top);isFocused()&&isScrolled&&end()});for(let part of panel()?.
children??[])grown2.observe(part);stop.signal.addEventListener("abort",()=>grown2.disconnect());for(let kind of["wheel",
"keydown","pointerdown","hashchange"])addEventListener(kind,end,{signal:stop.signal,passive:!0});let timer=setTimeout(end,
PATIENCE_MS);return stop.signal.addEventListener("abort",()=>clearTimeout(timer)),isThere}addEventListener("pagehide",()=>{
rememberPlace();try{sessionStorage.setItem(STORED,JSON.stringify(Object.fromEntries(views)))}catch{}});function noteHash(name,subpath="",{at:at2="",named:named3=""}={}){let more=[at2&&`${named3||"at"}=${encodeURIComponent(at2)}`,
encodeURIComponent(subpath)].filter(Boolean).join("&");return`#/note/${encodeName(name)}${more&&`?${more}`}`}var linkHash=(name,subpath="")=>noteHash(
name,subpath,{at:route.value.at,named:"then"}),placeHash=subpath=>noteHash(route.value.name??"",subpath,route.value),tagHash=tag2=>`#/tag/${encodeURIComponent(tag2)}`,searchHash=query2=>`#/search/${encodeURIComponent(query2)}`;function reviewHash(filter={}){
let query2=new URLSearchParams(filter).toString();return`#/review${query2&&`?${query2}`}`}var historyHash=name=>`#/history/${encodeName(name)}`,editHash=number=>`#/edit/${number}`,baseHash=(path2,view="")=>`#/base/${encodeName(path2)}${view?
`?${encodeURIComponent(view)}`:""}`,open2=name=>go(noteHash(name));function go(hash){tab.value="panel",location.hash=hash}
function correctAddress(hash){history.replaceState(history.state,"",hash),rememberAddress(),route.value=parse(hash)}function parse(hash){
let[start2="",...rest]=hash.replace(/^#\/?/,"").split("/"),[view,filter=""]=start2.split("?"),[path2,more=""]=rest.join(
"/").split("?");if(view==="base")return{...HOME,view,name:decoded(path2),list:decoded(more)};if(view==="note"&&path2)return{
...HOME,view,name:decoded(path2),...placeIn(more)};let value=decoded(rest.join("/"));return(view==="list"||view==="tag")&&
value?{...HOME,view,list:value}:view==="search"?{...HOME,view,list:value}:view==="review"?{...HOME,view,list:filter}:view===
"tidy"?{...HOME,view}:view==="edit"&&/^\d+$/.test(value)?{...HOME,view:"history",list:value}:view==="history"?{...HOME,view,
name:value||null}:HOME}var HOME={view:"",name:null,list:null,subpath:"",at:"",named:""};function placeIn(more){let[,key2,
at2="",subpath=more]=/^(at|then)=([^&]*)&?(.*)$/s.exec(more)??[];return{at:decoded(at2),named:key2==="then"?key2:"",subpath:decoded(
subpath)}}function decoded(text){try{return decodeURIComponent(text)}catch{return text}}var positionNow=()=>history.state?.
place??address.peek().position+1;function rememberAddress(position=positionNow()){address.value={hash:location.hash,position},
history.replaceState({place:position},"")}async function showAddress(){if(location.hash===address.peek().hash)return;let next=parse(
location.hash),{view,name,at:at2}=route.peek(),isInside=view==="note"&&next.view===view&&next.name===name&&next.at===at2;
if(!isInside&&confirmLeave.value&&!await confirmLeave.value()){let{hash,position}=address.peek();location.hash!==hash&&history.
go(position-positionNow());return}rememberPlace(),history.state?.place===void 0&&forgetPlaces(positionNow()),rememberAddress(),
le(()=>{isInside||(confirmLeave.value=null),route.value=next,tab.value="panel"})}rememberAddress(history.state?.place??0);
route.value=parse(location.hash);addEventListener("hashchange",showAddress);addEventListener("beforeunload",event=>{confirmLeave.
value&&event.preventDefault()});async function openVault(name){return confirmLeave.value&&!await confirmLeave.value()?!1:
(confirmLeave.value=null,location.href=addressOf(name),!0)}var NUMBERED=/(?<!(?:no|proposed) )(\bedit \d{1,9}\b|\b(?:change|undo|redo) \d{1,9}(?= \())/i,BRACKETED=/\[\[([^[\]]+)\]\]/;
function partsOf(sentence,names=[]){let longestFirst=names.toSorted((one,other)=>other.length-one.length).map(name=>name.
replace(/[.*+?^${}()|[\]\\]/g,"\\$&")),named3=longestFirst.length?new RegExp(`(?<=[:,] )(${longestFirst.join("|")})(?=, |\\.(?: |$)| and )`):BRACKETED;return directionless(sentence).split(NUMBERED).flatMap((text,at2)=>at2%2?[{text,href:editHash(
text.replace(/\D/g,""))}]:text.split(named3).map((part,place2)=>place2%2?{text:part,href:noteHash(part)}:{text:part})).filter(
({text})=>text)}var Sentence=({text,names})=>partsOf(text,names).map((part,at2)=>part.href?nn`<a key=${at2} href=${part.
href}>${part.text}</a>`:part.text);var format=new Intl.NumberFormat("en",{maximumFractionDigits:2}),formatNumber=value=>format.format(value),numberOf=(count,what,many=`${what}s`)=>`${formatNumber(count)} ${count===1?what:many}`;var QUIET=150,LONGEST=1e3;function useLoad(load4,keys2,first){let[state,setState]=ot({data:first}),[turn,next]=rt(count=>count+
1,0);return ut(()=>{let stop=new AbortController,current=()=>!stop.signal.aborted;return load4(stop.signal).then(data=>current()&&
setState({data}),error=>current()&&setState(old=>({data:old.data,error}))),()=>stop.abort()},[...keys2,turn]),{...state,
again:()=>next(void 0)}}function useChanges(react){let latest=ft(react);latest.current=react;let seen=ft(changed.peek().
at).current;ut(()=>{let collected=collector(names=>latest.current(names)),stop=changed.subscribe(({names,at:at2})=>{at2>
0&&at2!==seen&&collected.add(names)}),missed=!1,stopToo=connection.subscribe(state=>{missed&&state==="live"&&collected.add(
null),missed=state!=="live"&&(missed||state==="off")});return()=>{stop(),stopToo(),collected.stop()}},[])}function collector(act){
let names=new Set,first=null,timer=0,pass=()=>{let collected=names&&[...names];names=new Set,first=null,act(collected)};
return{add(more){names=names&&more&&new Set([...names,...more]),first??=performance.now(),clearTimeout(timer),timer=setTimeout(
pass,Math.min(QUIET,first+LONGEST-performance.now()))},stop:()=>clearTimeout(timer)}}var namesIn=error=>error instanceof
ApiError?error.data.names:void 0;function ErrorMessage({error,again}){return error?nn`<div class="trouble" role="alert">
    <p><${Sentence} text=${error.message} names=${namesIn(error)} /></p>
    ${again&&nn`<button type="button" onClick=${again}>Try again</button>`}
  </div>`:null}var script=loading=>loading.catch(()=>{throw new Error("A part of the page could not be loaded. If zkmem has been updated, reload the page.")}),Waiting=({what=""})=>nn`<p class="quiet waiting" role="status">${what?`Reading ${what}…`:"Loading…"}</p>`;function moveInList(event){let step=STEPS[event.key],rows=[...event.currentTarget.querySelectorAll(
"[data-row]")],at2=rows.indexOf(event.target);if(!step||at2<0)return;event.preventDefault();let next=rows[Math.max(0,Math.
min(rows.length-1,at2+step))];next instanceof HTMLElement&&next.focus()}var STEPS={ArrowDown:1,ArrowUp:-1,Home:-1/0,End:1/0};var KINDS={"+":"added","-":"removed","@":"place"},MOST2=400;function Diff({text,label}){let all=text.replace(/\n$/,"").split(
`
`).filter(line=>!/^(---|\+\+\+) /.test(line));return nn`<${Lines} lines=${all} label=${label} />`}function Lines({lines,
label}){let shown4=lines.slice(0,MOST2);return nn`<pre class="diff" tabindex="0" role="group" aria-label=${label}>${shown4.
map((line,index)=>nn`<span key=${index} class=${KINDS[line[0]]??"same"}>${line||" "}${`
`}</span>`)}</pre>
    ${lines.length>MOST2&&nn`<p class="quiet">and ${numberOf(lines.length-MOST2,"more line")}</p>`}`}function Changes({changes}){
return nn`<ul class="changes" aria-label="Files that change">
    ${changes.map(({path:path2,to,diff})=>nn`<li key=${path2}>
        <details open=${changes.length<=3}>
          <summary><span class="path">${path2}</span>${to&&nn` <span class="moved">→ ${to}</span>`}</summary>
          ${diff?nn`<${Diff} text=${diff} label=${`Changes in ${path2}`} />`:nn`<p class="quiet">its text stays the same</p>`}
        </details>
      </li>`)}
  </ul>`}var QUIET2=250;function usePreview(path2,edit){let[state,setState]=ot({}),key2=JSON.stringify(edit);return ut(()=>{if(!edit)
return setState({});setState({waiting:!0});let current=!0,timer=setTimeout(()=>{api.preview(path2,edit).then(plan=>current&&
setState({plan}),error=>current&&setState({error}))},QUIET2);return()=>{current=!1,clearTimeout(timer)}},[key2]),state}function Preview({
state:{plan,error,waiting},summary}){return nn`<div class="preview" aria-live="polite">
    ${error&&nn`<p class="trouble"><${Sentence} text=${error.message} /></p>`} ${waiting&&nn`<p class="quiet">Computing what would change…</p><${TokenWanted} />`}
    ${plan&&nn`<p>${summary(plan)} ${numberOf(plan.changes.length,"file")} would change:</p>
        ${plan.remarks.map(remark=>nn`<p class="quiet" key=${remark}>${remark}</p>`)}
        <${Changes} changes=${plan.changes} />`}
  </div>`}function useAction(action){let[state,setState]=ot({busy:!1,error:null});return{...state,act:async(event=void 0)=>{
if(event?.preventDefault(),!state.busy){setState({busy:!0,error:null});try{await action(),setState({busy:!1,error:null})}catch(error){
setState({busy:!1,error:asError(error)})}}}}}var asError=error=>error instanceof Error?error:new Error(String(error));var useElement=_class=>ft(null);var GIVEN_UP={kind:"NoToken",message:"You are not signed in."},signedIn=()=>token()!==null,nameOfVault=()=>vault.value?.
name??`${location.host}${location.pathname}`.replace(/\/(index\.html)?$/,"");async function signOut(){confirmLeave.value&&
!await confirmLeave.value()||(confirmLeave.value=null,await endSignIn(),leave())}function leave(){confirmLeave.value=null,
vault.value&&forgetPositions(vault.value.name),location.reload()}onSignedOut(leave);function signIn(){let question={refused:!1,
shown:!0,...Promise.withResolvers()};question.promise.catch(()=>{}),tokenQuestion.value=question}function settle(end){let question=tokenQuestion.
value;tokenQuestion.value=null,question&&end(question)}function accept(){let isBegun2=vault.value!==null||!isSignInNeeded.
value;isSignInNeeded.value=!1,settle(({resolve})=>resolve()),isBegun2||location.reload()}onSignedIn(accept);function SignIn(){
let dialog=useModal(!!tokenQuestion.value?.shown),input=useElement(HTMLInputElement),user=useElement(HTMLInputElement),[
remember,setRemember]=ot(!1),[byPassword,setByPassword]=ot(HAS_PASSWORDS),take=secret=>{tokenQuestion.peek()&&(setToken(
secret,remember),input.current.value="",accept())},{act,busy,error}=useAction(async()=>{let text=input.current.value;if(!text.
trim()||!tokenQuestion.peek())return;let person={user:user?.current?.value.trim()??"",password:text,remember:String(remember)},
secret=byPassword?await tokenFor(person):text.trim();if(byPassword||await isAccepted(secret))return take(secret);let now2=tokenQuestion.
peek();now2&&(tokenQuestion.value={...now2,refused:!0},input.current.select())}),giveUp=()=>{isSignInNeeded.value=!0,settle(
({reject})=>reject(new ApiError(401,GIVEN_UP)))};return nn`<dialog ref=${dialog} aria-labelledby="sign-in-title" onCancel=${giveUp}>
    <form onSubmit=${act}>
      <h2 id="sign-in-title">Sign in to <em>${nameOfVault()}</em></h2>
      <p>Enter your ${byPassword?"name and your password":"token"}. The person who runs the server makes
        ${byPassword?" them":" one"} with <code>zkmem ${byPassword?"user":"token"} add NAME</code>.</p>
      <${ErrorMessage} error=${error} />
      ${!error&&tokenQuestion.value?.refused&&nn`<p class="refused" role="alert">${byPassword?"Your sign-in has ended.":
"The token was refused. Enter another one."}</p>`}
      ${byPassword&&nn`<label key="name">Name <input ref=${user} autocomplete="username" autocapitalize="none" spellcheck=${!1}
          required /></label>`}
      <label key="secret">${byPassword?"Password":"Token"} <input ref=${input} type="password"
        autocomplete=${byPassword?"current-password":"off"} spellcheck=${!1} required /></label>
      <label key="remember" class="check remember"><input type="checkbox" checked=${remember}
        onChange=${()=>setRemember(!remember)} /> Remember on this device</label>
      <p class="quiet">${remember?"Until you sign out, anybody who uses this browser can open the vault.":`Otherwise ${byPassword?
"you are signed in":"the token is kept"} until you close this tab.`}</p>
      ${HAS_PASSWORDS&&nn`<p><button type="button" class="plain" onClick=${()=>setByPassword(!byPassword)}>${byPassword?
"Use a token":"Use a name and a password"}</button></p>`}
      ${HAS_PASSKEYS&&nn`<${PasskeyButton} remember=${remember} take=${take} />`}
      <div class="actions">
        <button type="button" class="plain" onClick=${giveUp}>Cancel</button>
        <button type="submit" class="primary" disabled=${busy}>Sign in</button>
      </div>
    </form>
  </dialog>`}function PasskeyButton({remember,take}){let{act,busy,error}=useAction(async()=>take(await tokenForPasskey(remember)));
return nn`<${ErrorMessage} error=${error} />
    <p><button type="button" class="plain" disabled=${busy} onClick=${act}>Sign in with a passkey</button></p>`}function SignInAgain(){
return!isSignInNeeded.value||vault.value||tokenQuestion.value?.shown?null:nn`<section class="sign-in-again" aria-label="Signed out">
    <img src=${fileOf("icon.svg")} alt="" width="44" height="44" />
    <p>You are not signed in.</p>
    <button type="button" class="primary" onClick=${signIn}>Sign in to <em>${nameOfVault()}</em></button>
  </section>`}function TokenWanted(){let question=tokenQuestion.value;return question?.shown||!(question||isSignInNeeded.
value&&vault.value)?null:nn`<div class="toast error" role="alert">
    <span>${question?"The server needs a token.":"You are not signed in."}</span>
    <button type="button" class="plain" onClick=${()=>{question?tokenQuestion.value={...question,shown:!0}:signIn()}}>Sign in to <em>${nameOfVault()}</em>…</button>
  </div>`}var HELP=[["Anywhere",[["Ctrl K","Open a note, heading or tag, or run a command"],["/","Search"],["n","New note"],["e","Edit the open note"],["↑ ↓ Enter","Choose in a list"],["Esc","Close what is open"],["?","This help"]]],["In the editor",[["Ctrl S","Save"],["Ctrl B, Ctrl I","Bold, italic"],["Ctrl Enter","Tick the task in the line of the cursor"],["Alt Enter, Ctrl click","Open the link at the cursor"],["Ctrl E","Show all marks, as in the file, or only those in the line of the cursor"],["Ctrl F","Find in the note"],["Ctrl Shift V","Paste as plain text"],["Esc","Finish editing; asks about unsaved text"]]],["In the review",[["j, k","Next line, line before"],["Enter","Open the line, or close it"],["x",
"Mark the note as viewed, or not"],["u","Undo what was done to the note"],["s","Mark all as seen"]]],["In the search",[[
'"some words"',"these words in this order"],["-word","without the word"],["tag:recipe","with the tag, or one below it"],
["path:projects/","with this in the path"],["[status:done]","with the property"],["after:2026-11","of this date or later; also before:"],["on:yesterday","of this date; also today, last-week …"]]],["In the map",[["g","Open the map, or close it"],["+ − 0","Zoom in, zoom out, show all"],["← → ↑ ↓","Move the picture"]]]],ON_A_MAC=/Mac|iPhone|iPad/.test(
navigator.platform);function Help(){let dialog=useModal(helpShown.value);return nn`<dialog ref=${dialog} class="help" aria-labelledby="help-title"
    onClose=${()=>helpShown.value=!1}>
    <h2 id="help-title">Keys and search filters</h2>
    <div class="help-parts">
      ${HELP.map(([title,rows])=>nn`<section>
        <h3>${title}</h3>
        <dl class="keys">${rows.map(([key2,what])=>nn`<div><dt><kbd>${key2}</kbd></dt><dd>${what}</dd></div>`)}</dl>
      </section>`)}
    </div>
    ${ON_A_MAC&&nn`<p class="quiet">On a Mac, press ⌘ instead of Ctrl.</p>`}
    <p>A circle is a note. It is larger if more notes lead to it, and hollow if the note is linked to but not written
      yet. Click a circle to open the note, drag it to move it; the wheel zooms.</p>
    <p><a href="vendor/LICENSES.txt" target="_blank" rel="noopener">Licences of the software in this page</a></p>
    <div class="actions"><button type="button" class="primary" data-first
      onClick=${()=>dialog.current.close()}>Close</button></div>
  </dialog>`}function useModal(shown4){let dialog=useElement(HTMLDialogElement);return ut(()=>{if(shown4&&!dialog.current.
open){dialog.current.showModal();let first=dialog.current.querySelector("[data-first]");first instanceof HTMLElement&&first.
focus({preventScroll:!0}),dialog.current.scrollTop=0}!shown4&&dialog.current.open&&dialog.current.close()},[shown4]),dialog}var narrow=matchMedia("(max-width: 719px)"),loaded;async function load(){return[loaded]=await script(Promise.all([import("./graph.js"),
import("./vendor/graph.js")])),loaded}function toggleMap(){tab.value=tab.peek()==="graph"?"panel":"graph",tab.peek()==="graph"&&loaded?.showAll()}function focusInGraph(name){tab.value="graph",noteToShow.value=name,loaded?.showWanted()}function MapView(){
let{view,at:at2}=route.value,wanted=ft(!1);return wanted.current||=tab.value==="graph"||view==="note"&&!at2&&!narrow.matches,
wanted.current?nn`<${Loaded} />`:null}function Loaded(){let{data,error,again}=useLoad(load,[],loaded);return data?nn`<${data.
GraphView} />`:error?nn`<${ErrorMessage} error=${error} again=${again} />`:nn`<${Waiting} />`}function useActions(actions){let latest=ft(actions);latest.current=actions;let key2=JSON.stringify(actions.map(({title})=>title));
Nt(()=>{let own=latest.current.map((action,at2)=>({...action,act:()=>latest.current[at2]?.act()}));return offered.value=
[...offered.peek(),own],()=>{offered.value=offered.peek().filter(list2=>list2!==own)}},[key2])}var actionsNow=()=>offered.
value.toReversed().flat();addEventListener("keydown",event=>{if(!(event.defaultPrevented||event.altKey||document.querySelector(
"dialog[open]"))){if(event.ctrlKey||event.metaKey){if(event.shiftKey||event.key.toLowerCase()!=="k")return;paletteShown.
value=!0}else{let action=belongsToField(event)?null:actionsNow().find(({key:key2})=>key2===event.key);if(!action)return;
action.act()}event.preventDefault()}});function Dialog({title,onClose,busy=!1,wide=!1,kind="note-dialog",children}){let dialog=useElement(HTMLDialogElement),label=Et();
Nt(()=>{let before2=document.activeElement,shown4=dialog.current;shown4.showModal();let first=shown4.querySelector("[data-first]");return first instanceof HTMLElement&&first.focus({preventScroll:!0}),shown4.scrollTop=0,()=>{shown4.close(),before2 instanceof
HTMLElement&&before2.isConnected&&before2.focus()}},[]);let cancel=event=>{event.preventDefault(),busy||onClose()},onClick=event=>{
kind==="palette"&&event.target===dialog.current&&onClose()};return nn`<dialog ref=${dialog} class=${wide?`${kind} wide`:
kind} aria-labelledby=${label}
    onCancel=${cancel} onClick=${onClick}>
    <h2 id=${label} class=${kind==="palette"?"unseen":""}>${title}</h2>
    ${children}
  </dialog>`}function Question({title,yes,no="Cancel",danger=!1,also,onAnswer,children}){return nn`<${Dialog} title=${title} onClose=${()=>onAnswer(
!1)}>
    ${children}
    <div class="actions">
      <button type="button" data-first onClick=${()=>onAnswer(!1)}>${no}</button>
      ${also}
      <button type="button" class=${danger?"danger":"primary"} onClick=${()=>onAnswer(!0)}>${yes}</button>
    </div>
  <//>`}var isPartOfWord=letter=>/[\p{L}\p{M}\p{N}]/u.test(letter);function placeIn2(text,query2){let[whole2,wanted]=[text.toLowerCase(),
query2.toLowerCase()],first=whole2.indexOf(wanted);for(let at2=first;at2>=0;at2=whole2.indexOf(wanted,at2+1))if(at2===0||
!isPartOfWord(whole2[at2-1]))return at2;return first}function fit(text,query2){let at2=placeIn2(text,query2);return at2<
0?4:at2===0?text.length===query2.length?0:1:isPartOfWord(text[at2-1])?3:2}var FILE=/\.(?:png|jpe?g|gif|webp|avif|bmp|svg|pdf|mp3|wav|m4a|ogg|flac|3gp|mp4|webm|ogv|mov|mkv)$/i,
isFile=name=>FILE.test(name);function parted(name){let cut=name.lastIndexOf("/")+1;return{folders:name.slice(0,cut),last:name.
slice(cut)}}function ranked(names,query2){let last=name=>parted(name).last;return names.toSorted((a,b2)=>fit(last(a),query2)-
fit(last(b2),query2)||last(a).length-last(b2).length)}function NameField({label,value,onInput,hint}){let[id,list2,about3]=[Et(),Et(),Et()],[names,setNames]=ot([]);return ut(()=>{
let stop=new AbortController,propose=proposals2=>stop.signal.aborted||setNames(proposals2),typed=value.trim();return typed&&
api.names(typed,20,stop.signal).then(response=>propose(response.names),()=>propose([])),()=>stop.abort()},[value]),nn`<p class="field">
    <label for=${id}>${label}</label>
    <input
      id=${id}
      list=${list2}
      data-first
      required
      autocomplete="off"
      spellcheck=${!1}
      aria-describedby=${hint?about3:void 0}
      value=${value}
      onInput=${event=>onInput(event.target.value)}
    />
    <datalist id=${list2}>${names.map(name=>nn`<option key=${name} value=${name}></option>`)}</datalist>
    ${hint&&nn`<span id=${about3} class="quiet">${hint}</span>`}
  </p>`}function NewNote(){let beginning2=creating.value;return beginning2===null?null:nn`<${Ask} key=${beginning2} beginning=${beginning2||
folderHere()} />`}function folderHere(){let{name}=route.peek(),folder2=parted(name??"").folders;return folder2&&canWrite(
`${folder2}x`)?folder2:vault.peek()?.folder?`${vault.peek()?.folder}/`:""}function Ask({beginning:beginning2}){let[typed,
setTyped]=ot(beginning2),name=typed.trim().replace(/\.md$/i,""),close3=()=>creating.value=null;Nt(()=>{let field=document.
activeElement;field instanceof HTMLInputElement&&!beginning2.endsWith("/")&&field.select()},[]);let mayWrite=canWrite(name),
ready=!!name&&!name.endsWith("/")&&mayWrite;return nn`<${Dialog} title="New note" onClose=${close3}>
    <form onSubmit=${event=>{event.preventDefault(),ready&&(close3(),create(name))}}>
      <${NameField} label="Name, with its folders" value=${typed} onInput=${setTyped}
        hint="If a note has this name, it is opened." />
      ${name&&!mayWrite&&nn`<p class="notice warn" role="status">Your token reaches only the folder
          ${" "}<strong>${vault.value?.folder}</strong>: begin the name with ${vault.value?.folder}/.</p>`}
      <div class="actions">
        <button type="button" onClick=${close3}>Cancel</button>
        <button type="submit" class="primary" disabled=${!ready}>Write it</button>
      </div>
    </form>
  <//>`}function create(name){noteToEdit.value=name,open2(name)}var SHOWN_MS=6e3;function toast(message,kind="info"){let id=toastCount.value+=1;toasts.value=[...toasts.value.slice(-3),
{id,message,kind}],kind!=="error"&&setTimeout(()=>dismiss(id),SHOWN_MS)}function showError(error){if(!(error instanceof ApiError))
throw error;error.kind!=="NoToken"&&toast(error.message,"error")}var dismiss=id=>{toasts.value=toasts.value.filter(one=>one.
id!==id)};var PAUSE_MS=80,NAMES=8,PLACES=6,TAGS_ALONE=40,RECENT=6,NOTHING={query:"",names:[],places:null},recent=[];A(()=>{let{name,
view}=route.value;name&&view==="note"&&(recent=[name,...recent.filter(one=>one!==name)].slice(0,RECENT+1))});var Palette=()=>paletteShown.
value&&nn`<${Box} />`,PaletteButton=()=>nn`<button
    type="button"
    class="to-palette"
    aria-label="Commands"
    title="Commands (Ctrl K)"
    aria-keyshortcuts="Control+K Meta+K"
    onClick=${()=>paletteShown.value=!0}
  >
    ⌘
  </button>`;function Box(){let[typed,setTyped]=ot(""),[chosen,setChosen]=ot({typed:"",id:""}),[hurried,setHurried]=ot(""),
[actions]=ot(actionsNow),input=useElement(HTMLInputElement),query2=typed.trim(),answer2=useAnswer(query2),isAnswered=query2.
startsWith(">")||answer2.query===query2,{data:home}=useLoad(()=>api.home(RECENT),[]),latest=(home?.recent??[]).map(({name})=>name),
groups=groupsOf(query2,isAnswered?answer2:{...NOTHING,query:query2},actions,latest),rows=groups.flatMap(group=>group.rows),
active=chosen.typed===typed&&rows.some(({id})=>id===chosen.id)?chosen.id:rows[0]?.id??"",close3=()=>paletteShown.value=!1,
choose=row=>{close3(),setTimeout(row.act)},step=by=>{let at2=rows.findIndex(({id})=>id===active);setChosen({typed,id:rows[(at2+
by+rows.length)%rows.length]?.id??""})};return ut(()=>{hurried&&hurried===query2&&isAnswered&&rows[0]&&choose(rows[0])},
[hurried,query2,isAnswered]),Nt(()=>document.getElementById(active)?.scrollIntoView({block:"nearest"}),[active]),nn`<${Dialog} title="Commands" onClose=${close3} kind="palette">
    <input
      ref=${input}
      data-first
      type="text"
      role="combobox"
      aria-label="Open a note or run a command"
      aria-autocomplete="list"
      aria-expanded="true"
      aria-controls="palette-rows"
      aria-activedescendant=${active}
      placeholder="Open a note, a heading, a tag, or run a command"
      autocomplete="off"
      spellcheck=${!1}
      enterkeyhint="go"
      value=${typed}
      onInput=${()=>{setTyped(input.current.value),setHurried("")}}
      onKeyDown=${event=>{let keys2={ArrowDown:()=>step(1),ArrowUp:()=>step(-1),Enter:()=>{let now2=input.current.value.
trim(),row=isAnswered&&now2===query2?rows.find(({id})=>id===active):null;row?choose(row):setHurried(now2)}};!keys2[event.
key]||event.isComposing||(event.preventDefault(),keys2[event.key]())}}
    />
    <div
      id="palette-rows"
      role="listbox"
      aria-label="Notes and commands"
      tabindex="-1"
      onMouseDown=${event=>event.preventDefault()}
    >
      ${groups.map(({title,rows:list2})=>nn`<div role="group" aria-label=${title} key=${title}>
            <div class="found-title" aria-hidden="true">${title}</div>
            ${list2.map(row=>nn`<${Option}
                  key=${row.id}
                  row=${row}
                  query=${query2}
                  selected=${row.id===active}
                  choose=${()=>choose(row)}
                />`)}
          </div>`)}
      ${!rows.length&&nn`<div role="option" aria-disabled="true" class="nothing">
          ${isAnswered?"Nothing found.":"Searching…"}
        </div>`}
    </div>
    <p class="palette-help">
      <span><kbd>↑</kbd> <kbd>↓</kbd> choose</span
      ><span><kbd>Enter</kbd> open</span><span><kbd>Esc</kbd> close</span
      ><span><kbd>></kbd> only commands</span
      ><span><kbd>#</kbd> only tags</span>
    </p>
    <span class="unseen" role="status"
      >${isAnswered&&query2?`${rows.length} found`:""}</span
    >
  <//>`}function Option({row:{id,title,detail,keys:keys2},query:query2,selected,choose}){return nn`<div
    id=${id}
    role="option"
    aria-selected=${selected}
    onClick=${choose}
  >
    <span class="row-title" dir="auto"
      >${marked(title,query2.replace(/^[>#]\s*/,""))}</span
    >
    ${detail&&nn`<span class="row-detail" dir="auto">${detail}</span>`}
    ${keys2&&nn`<kbd>${keys2}</kbd>`}
  </div>`}function marked(text,query2){let at2=query2?placeIn2(text,query2):-1,end=at2+query2.length;return at2<0?text:nn`${text.
slice(0,at2)}<b>${text.slice(at2,end)}</b>${text.slice(end)}`}function groupsOf(query2,{names,places},actions,latest){let sought=query2.
replace(/^>\s*/,"").toLowerCase(),wanted=sought.split(/\s+/).filter(Boolean),fits=title=>wanted.every(word=>title.toLowerCase().
includes(word)),commands2={title:"Commands",rows:actions.filter(({title})=>fits(title)).toSorted((one,other)=>fit(one.title,
sought)-fit(other.title,sought)).map(({title,key:key2,hint,act})=>({id:`action-${title}`,title,keys:key2??hint,act}))},tags={
title:"Tags",rows:(places?.tags??[]).map(tagRow)};if(query2.startsWith("#"))return filled([tags]);if(query2.startsWith(">"))return filled([commands2]);let notes={title:query2?"Notes":"Opened last",rows:(query2?names:others(recent)).map(noteRow)},
best=rows=>Math.min(...rows.map(({title})=>fit(title,sought))),begins=commands2.rows.some(({title})=>title.toLowerCase().
startsWith(wanted[0])),isCommand=query2.length>2&&begins||best(commands2.rows)<best(notes.rows),isNew=query2&&canWrite(query2)&&
!names.some(name=>name.toLowerCase()===query2.toLowerCase()),first=!query2||isCommand?[commands2,notes]:[notes,commands2],
opened=others(recent),changed2={title:"Changed last",rows:others(latest.filter(name=>!opened.includes(name))).map(noteRow)};
return filled([...query2?first:[notes,changed2,commands2],{title:"Aliases",rows:(places?.aliases??[]).map(aliasRow)},{title:"Headings",rows:(places?.headings??[]).map(headingRow)},tags,{title:"New",rows:isNew?[newRow(query2)]:[]},{title:"Search",
rows:query2?[searchRow(query2)]:[]}])}var filled=groups=>groups.filter(({rows})=>rows.length),others=names=>names.filter(
name=>name!==route.peek().name).slice(0,RECENT);function noteRow(name){let{folders,last}=parted(name);return{id:`note-${name}`,
title:last,detail:folders,act:()=>open2(name)}}var aliasRow=({text,name})=>({id:`alias-${text}-${name}`,title:text,detail:name,
act:()=>open2(name)}),headingRow=({text,name,subpath})=>({id:`heading-${name}-${subpath}`,title:text,detail:name,act:()=>go(
noteHash(name,subpath))}),tagRow=({tag:tag2,notes})=>({id:`tag-${tag2}`,title:`#${tag2}`,detail:String(notes),act:()=>go(
tagHash(tag2))}),searchRow=query2=>({id:"search-all",title:"All results",detail:"in the texts of notes, too",act:()=>go(
searchHash(query2))}),newRow=name=>({id:"new",title:`Create “${isolated(name)}”`,detail:"a new note",act:()=>create(
name)});function useAnswer(query2){let[answer2,setAnswer]=ot(NOTHING);return ut(()=>{if(query2.startsWith(">"))return;if(!query2)
return setAnswer(NOTHING);let stop=new AbortController,timer=setTimeout(()=>ask(query2,stop.signal,setAnswer).catch(failed),
PAUSE_MS);return()=>{clearTimeout(timer),stop.abort()}},[query2]),answer2}async function ask(query2,signal,show2){let isTag=query2.
startsWith("#"),places=api.places(query2,isTag?TAGS_ALONE:PLACES,signal);if(places.catch(()=>{}),isTag)return show2({query:query2,
names:[],places:await places});let names=ranked((await api.names(query2,50,signal)).names,query2).slice(0,NAMES);show2({
query:query2,names,places:null}),show2({query:query2,names,places:await places})}function failed(error){error.name!=="AbortError"&&statusOf(error)!==422&&showError(error)}var NAMES2=8,HITS=12,PAUSE_MS2=120;function SearchBox(){let[query2,setQuery]=ot(""),results=useResults(query2),[chosen,setChosen]=ot(
{results,at:-1}),active=chosen.results===results?chosen.at:-1,setActive=at2=>setChosen({results,at:at2}),[shown4,setShown]=ot(
!1),input=useElement(HTMLInputElement),texts=results.names.length,links=texts+results.hits.length,rest=links+results.linked.
length,all={name:"All results",href:searchHash(query2.trim())},options=[...results.names.map(named),...results.hits,...results.
linked.map(named),all],expanded=shown4&&results.query!==null;ut(()=>document.getElementById(`found-${active}`)?.scrollIntoView(
{block:"nearest"}),[active]);let choose=option=>{setShown(!1),setQuery(""),input.current.blur(),go(option.href??noteHash(
option.name))},onKeyDown=event=>{let last=options.length-1,keys2={ArrowDown:()=>(setShown(!0),setActive(active>=last?0:active+
1)),ArrowUp:()=>(setShown(!0),setActive(active<=0?last:active-1)),Enter:()=>results.query!==null&&results.query===query2.
trim()&&choose(options[Math.max(active,0)]),Escape:()=>expanded?setShown(!1):setQuery("")};!keys2[event.key]||event.isComposing||
(event.preventDefault(),event.stopPropagation(),keys2[event.key]())},group=(title,first,list2)=>list2.length>0&&nn`<div role="group" aria-label=${title}>
    <div class="found-title" aria-hidden="true">${title}</div>
    ${list2.map((option,at2)=>nn`<${Option2} key=${option.name} id=${`found-${first+at2}`} option=${option}
      selected=${first+at2===active} choose=${()=>choose(option)} />`)}
  </div>`;return nn`<div class="search" role="search">
    <input ref=${input} id="search" type="search" role="combobox" placeholder="Search notes" aria-label="Search notes"
      aria-autocomplete="list" aria-expanded=${expanded} aria-controls="found" autocomplete="off" spellcheck=${!1}
      aria-activedescendant=${expanded&&active>=0?`found-${active}`:void 0} value=${query2}
      onInput=${()=>(setQuery(input.current.value),setShown(!0))} onKeyDown=${onKeyDown}
      onFocus=${()=>setShown(!0)} onBlur=${()=>setShown(!1)} />
    <kbd aria-hidden="true">/</kbd>
    <div id="found" role="listbox" aria-label="Notes found" hidden=${!expanded}
      onMouseDown=${event=>event.preventDefault()}>
      ${results.remarks.map(remark=>nn`<div role="option" aria-disabled="true" class="nothing">${remark}</div>`)}
      ${group("Names",0,options.slice(0,texts))}
      ${group("Text",texts,results.hits)}
      ${group("Linked from these",links,options.slice(links,rest))}
      ${results.query&&group("Everything",rest,[all])}
    </div>
    <span class="unseen" role="status">${expanded&&results.query?`${rest} found`:""}</span>
  </div>`}var named=name=>({name});function Option2({id,option,selected,choose}){let{folders,last}=parted(option.name);return nn`<div id=${id} role="option" aria-selected=${selected} onClick=${choose}>
    <div class="found-name">${folders&&nn`<small>${folders}</small>`}${last}<${HitDate} ...${option} /></div>
    <${Passage} ...${option} />
  </div>`}var HitDate=({date,date_source:source})=>date&&nn`<time dateTime=${date}>${source==="file"&&"changed "}${date}</time>`,
Passage=({snippet,words=[]})=>snippet&&nn`<div class="found-text" dir="auto">${marked2(snippet,words)}</div>`;function marked2(text,words){
let plain2=part=>part.normalize("NFKD").replace(/\p{M}/gu,"").toLowerCase().replaceAll("ς","σ"),wanted=new Set(words),
pairs=words.filter(word=>HAN.test(word));return text.split(pairs.length?new RegExp(`(${pairs.join("|")}|[\\p{L}\\p{M}\\p{N}]+)`,"u"):WORD).map(part=>wanted.has(plain2(part))?nn`<mark>${part}</mark>`:part)}var WORD=/([\p{L}\p{M}\p{N}]+)/u,HAN=/^[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]{1,2}$/u,
NOTHING2={query:null,names:[],hits:[],linked:[],remarks:[],isFull:!1};function useResults(query2){let[results,setResults]=ot(
NOTHING2),wanted=query2.trim();return ut(()=>{if(!wanted)return setResults(NOTHING2);let stop=new AbortController,timer=setTimeout(
()=>{find(wanted,stop.signal).then(setResults,error=>error.name==="AbortError"||showError(error))},PAUSE_MS2);return()=>{
clearTimeout(timer),stop.abort()}},[wanted]),results}async function find(query2,signal,most=HITS){if(!query2)return NOTHING2;
let[{names:all},{hits,linked,remarks}]=await Promise.all([api.names(query2,50,signal),api.search(query2,most,signal).catch(
error=>{if(statusOf(error)!==422)throw error;return{hits:[],linked:[],remarks:[error.message]}})]),names=ranked(all,query2).
slice(0,NAMES2),isNew=name=>!names.includes(name),isFound=names.length&&!hits.length,others3={hits:hits.filter(({name})=>isNew(
name)),linked:linked.filter(isNew)};return{query:query2,names,...others3,remarks:isFound?[]:remarks,isFull:hits.length===
most}}var KEY2="zkmem:theme",ORDER=["auto","light","dark"],system=matchMedia("(prefers-color-scheme: dark)");theme.value=ORDER.
find(one=>one===localStorage.getItem(KEY2))??"auto";var nextTheme=()=>theme.value=ORDER[(ORDER.indexOf(theme.value)+1)%ORDER.
length];A(()=>{localStorage.setItem(KEY2,theme.value),apply()});system.addEventListener("change",apply);function apply(){
let dark=theme.peek()==="dark"||theme.peek()==="auto"&&system.matches;document.documentElement.dataset.theme=dark?"dark":
"light",themeChanges.value=themeChanges.peek()+1}var MOST_TAGGED=1e3,list=one=>one,LISTS={hints:list({title:"Where to start",about:"The notes with the most weight: many other notes lead to them.",key:({name})=>name,Row:({name,share,links,backlinks})=>nn`${figures(name,numberOf(links,"link"),
numberOf(backlinks,"backlink"))}
        <span class="weight" style=${{"--share":share}} aria-hidden="true"></span>`}),suggestions:list({title:"Suggestions",about:"Long notes with little weight: split them, or link to them.",key:({name})=>name,Row:({name,characters})=>figures(
name,numberOf(characters,"character"))}),missing:list({title:"Missing notes",about:"Links to notes that do not exist, by the name that they use.",key:({target:target2})=>target2,Row:Missing}),ambiguous:list({title:"Ambiguous links",about:"Links that could mean several notes.",key:findingKey,Row:Ambiguous}),conflict:list({title:"Conflicts",about:"Lines that two machines wrote differently: open the note to keep one version.",key:findingKey,Row:Finding}),check:list({title:"Other findings",about:"Files that cannot be read, unusual names and properties, notes with the same name.",key:findingKey,Row:Finding}),
bases:list({title:"Tables",about:"The .base files of the vault: tables of notes by their properties, as in Obsidian's Bases.",key:({path:path2})=>path2,Row:({path:path2,views:views2})=>nn`<a href=${baseHash(path2)} data-row>${path2}</a> <span class="meta">${views2.
join(" · ")}</span>`})},LOADS={hints:()=>api.hints(100).then(({hints})=>withShares(hints)),bases:()=>api.bases().then(({
bases})=>bases)};function Lists({list:name}){let known=name&&name in LOADS?name:"hints",{data,error,again}=useLoad(()=>LOADS[known]().
then(rows=>({rows,total:rows.length})),[known]);return useChanges(again),nn`<${Listing} list=${known} data=${data} error=${error} again=${again} />`}
function Listing({list:name,data,error,again}){let{title,about:about3,key:key2,Row:Row5}=LISTS[name],rows=data?.rows??[];
return nn`<article class="lists">
    <h2 class="title" tabindex="-1">${title} ${data&&nn`<span class="count">${formatNumber(data.total)}</span>`}</h2>
    <p class="quiet">${about3}</p>
    <${ErrorMessage} error=${error} again=${again} />
    ${!data&&!error&&nn`<${Waiting} />`}
    ${data&&!rows.length&&nn`<p class="empty">Nothing to do here.</p>`}
    <ul class="rows" onKeyDown=${moveInList} aria-label=${title}>
      ${rows.map((row,index)=>nn`<li key=${`${key2(row)} ${index}`}><${Row5} ...${row} again=${again} /></li>`)}
    </ul>
    ${data&&data.total>rows.length&&nn`<p class="quiet">The first ${formatNumber(rows.length)} of ${formatNumber(data.total)} are shown.</p>`}
  </article>`}var figures=(name,...values)=>nn`<${Open} name=${name} /> <span class="meta">${values.join(" · ")}</span>`,
Open=({name,text=name})=>nn`<a href=${noteHash(name)} data-row>${text}</a>`;function findingKey({note,detail}){return`${note} ${detail}`}function Finding({kind,note,detail}){return nn`<${Open} name=${note} /> <span class="tag">${kind}</span> <span class="meta">${detail}</span>`}
function Missing({target:target2,notes,choices,again}){let own=notes.filter(canWrite);return nn`<span class="missing"><${Open} name=${target2} /></span>
    <span class="meta">linked from ${notes.map((note,index)=>nn`${index>0&&", "}<a key=${note} href=${noteHash(note)}>${note}</a>`)}</span>
    <div class="mends">
      ${canWrite(target2)&&nn`<button type="button" onClick=${()=>create(target2)}>
          Create<span class="unseen">${` ${target2}`}</span></button>`}
      ${own.length>0&&choices.map(to=>nn`<span class="meta">Did you mean <a href=${noteHash(to)}>${to}</a>?</span>
            <${Repoint} key=${to} names=${own} target=${target2} to=${to} again=${again}>${`Link to ${to}`}<//>`)}
    </div>`}function Ambiguous({note,target:target2,choices,again}){return nn`<${Open} name=${note} /> <span class="meta">The link <b>${target2}</b> means ${choices[0]} now. Let it
    always mean:</span>
    <div class="mends">
      ${canWrite(note)&&choices.map(to=>nn`<${Repoint} key=${to} names=${[note]} target=${target2} to=${to}
        again=${again}>${to}<//>`)}
    </div>`}function Repoint({names,target:target2,to,again,children}){let{act,busy,error}=useAction(async()=>{let{changed:changed2,
remarks}=await api.repoint({names,target:target2,to});toast([`The link leads to ${to} now, in ${numberOf(changed2.length,
"note")}.`,...remarks].join(" ")),again()});return nn`<button type="button" onClick=${act} disabled=${busy}>${children}</button><${ErrorMessage}
    error=${error} />`}function withShares(hints){let most=Math.max(...hints.map(({weight})=>weight));return hints.map(hint=>({
...hint,share:hint.weight/most}))}function Tag({tag:tag2}){let{data,error,again}=useLoad(()=>api.search(`tag:"${tag2.replaceAll(
'"',"")}"`,MOST_TAGGED,new AbortController().signal),[tag2]);useChanges(again);let hits=[...data?.hits??[]].sort((one,other)=>one.
name.localeCompare(other.name));return nn`<article class="lists">
    <h2 class="title" tabindex="-1">#${tag2} ${data&&nn`<span class="count">${hits.length}</span>`}</h2>
    <p class="quiet">The notes with this tag, or with one nested in it.</p>
    <${ErrorMessage} error=${error} again=${again} />
    ${!data&&!error&&nn`<${Waiting} />`}
    ${data&&!hits.length&&nn`<p class="empty">No note has this tag.</p>`}
    <ul class="rows" onKeyDown=${moveInList} aria-label=${`Notes with the tag ${tag2}`}>
      ${hits.map(({name})=>nn`<li key=${name}><a href=${noteHash(name)} data-row>${name}</a></li>`)}
    </ul>
    ${hits.length===MOST_TAGGED&&nn`<p class="quiet">At most ${MOST_TAGGED} are shown.</p>`}
  </article>`}var format2=new Intl.DateTimeFormat(void 0,{dateStyle:"medium",timeStyle:"short"}),dayFormat=new Intl.DateTimeFormat(void 0,
{dateStyle:"medium"}),clockFormat=new Intl.DateTimeFormat(void 0,{timeStyle:"short"}),relative=new Intl.RelativeTimeFormat(
"en"),UNITS=[["day",86400],["hour",3600],["minute",60]],MOMENT=45,LONGEST2=30*86400,timeText=time=>format2.format(new Date(
time*1e3)),dayText=time=>dayFormat.format(new Date(time*1e3));function sinceText(time,from){let clock=clockFormat.format(
new Date(time*1e3));return dayText(time)===dayText(from)?clock:dayText(time)===dayText(from-86400)?`yesterday ${clock}`:
timeText(time)}function agoText(time,from){let seconds=Math.abs(time-from);if(seconds<MOMENT)return"just now";if(seconds>=
LONGEST2)return dayText(time);let[unit,size]=UNITS.find(([,length])=>length<=seconds)??UNITS[UNITS.length-1];return relative.
format(Math.sign(time-from)*Math.max(1,Math.floor(seconds/size)),unit)}function When({time,since=time}){let title=timeText(
since)+(time-since<60?"":` – ${timeText(time)}`),ago=agoText(time,now.value/1e3);return nn`<time datetime=${new Date(time*
1e3).toISOString()} title=${title}>${ago}</time>`}var MOST3=1e3,KINDS2={missing:"missing",ambiguous:"ambiguous",conflict:"conflict",check:"other",suggestions:"suggestions"};
function Tidy({list:list2}){let[first,setFirst]=ot(void 0),{data=first,error,again}=useLoad(async()=>(data||setFirst(await load2(
list2,"index")),load2(list2,"notes")),[list2]);if(useChanges(again),!data)return error?nn`<${ErrorMessage} error=${error} again=${again} />`:
nn`<${Waiting} what="the findings" />`;let shown4=list2??data.list,waits=!data.complete&&!error,isShown=shown4===data.list&&
(data.rows.length>0||!waits),kinds=Object.entries(KINDS2).filter(([key2,counts])=>data.counts[counts]>0||key2===shown4);
return nn`<nav class="kinds" aria-label="What to tidy">
      ${kinds.map(([key2,counts])=>nn`<a key=${key2} href=${`#/list/${key2}`}
          aria-current=${key2===shown4?"page":void 0}
          >${LISTS[key2].title}${" "}<span class="count">${formatNumber(data.counts[counts])}</span></a>`)}
    </nav>
    <${Synchronisation} />
    ${waits&&isShown&&nn`<${Waiting} what="the notes, which may have more to tidy" />`}
    <${Listing} key=${shown4} list=${shown4} data=${isShown?data:void 0} error=${error}
      again=${again} />`}async function load2(list2,look){let{findings,kind,counts,complete}=await api.findings(kindOf(list2),
MOST3,look),shown4=list2??firstOf(counts),total=counts[KINDS2[shown4]],about3={list:shown4,total,counts,complete};return shown4===
"suggestions"?{...about3,rows:(await api.suggestions(100)).suggestions}:{...about3,rows:kind==="missing"?byTarget(findings):
findings}}var kindOf=list2=>list2===null||list2==="suggestions"?"first":KINDS2[list2],firstOf=counts=>Object.keys(KINDS2).
find(key2=>counts[KINDS2[key2]]>0)??"missing";function byTarget(findings){let targets=new Map;for(let{note,target:target2,
choices}of findings){let key2=target2.normalize().toLowerCase(),row=targets.get(key2)??{target:target2,notes:[],choices};
row.notes.includes(note)||row.notes.push(note),targets.set(key2,row)}return[...targets.values()].sort((a,b2)=>b2.notes.length-
a.notes.length||a.target.localeCompare(b2.target))}function Synchronisation(){let{data,error,again}=useLoad(api.sync,[]);
return useChanges(again),error?nn`<${ErrorMessage} error=${error} again=${again} />`:data?.last&&nn`<${State} ...${data.
last} />`}function State({time,succeeded,remote,ahead,behind,offline,trouble}){let waits=[ahead&&`${numberOf(ahead,"commit")} to push`,behind&&`${numberOf(behind,"commit")} to fetch`];return nn`<section class="synchronisation" aria-label="Synchronisation">
    <p>${succeeded?nn`Last synchronised with ${remote}: <${When} time=${succeeded} />.`:`Not synchronised with ${remote} yet.`}${" "}${waits.filter(Boolean).join(", ")||"Nothing waits"}.</p>
    ${offline&&nn`<p>Offline; last tried <${When} time=${time} />: ${offline}.</p>`}
    ${trouble&&nn`<p role="alert">The last attempt failed, <${When} time=${time} />: ${trouble}.</p>`}
  </section>`}function Boundary({children}){let[error,again]=$t(failure2=>reportError(failure2));return error?nn`<p class="trouble">This part could not be shown. <button type="button" onClick=${again}>Try
    again</button></p>`:children}var MOST4={formulas:500,code:500,diagrams:20},LONGEST3={formulas:2e3,code:2e4,diagrams:5e3},MOST_CHARACTERS={formulas:5e4,
code:2e5,diagrams:1e5};function draw(body,isPreview){let stop=new AbortController,{signal}=stop,formulas=short(body,"span.math","formulas"),diagrams=short(body,"code.language-mermaid","diagrams"),code=short(body,'pre > code[class^="language-"]:not(.language-mermaid)',"code");return(async()=>{formulas.length&&await(await import("./formulas.js")).drawFormulas(
formulas,signal),code.length&&await(await import("./code.js")).colourCode(code,signal),diagrams.length&&
!signal.aborted&&(await import("./diagrams.js")).drawDiagrams(diagrams,signal,isPreview)})().catch(error=>toast(
`A part of this note could not be drawn: ${error.message}`)),()=>stop.abort()}function short(body,selector,kind){let all=[
...body.querySelectorAll(selector)],left=MOST_CHARACTERS[kind],isShort=one=>lengthOf(one)<=LONGEST3[kind]&&(left-=lengthOf(
one))>=0;return all.slice(0,MOST4[kind]).filter(isShort)}var lengthOf=element=>(element.textContent??"").length;function failed2(element,what,failure2="could not be drawn"){let line=document.createElement("small");Object.assign(line,{className:"undrawn",textContent:`This ${what} ${failure2}.`}),element.after(" ",line)}var SAFE={pdf:"application/pdf",txt:"text/plain;charset=utf-8",png:"image/png",jpg:"image/jpeg",jpeg:"image/jpeg",gif:"image/gif",webp:"image/webp",avif:"image/avif",bmp:"image/bmp",mp3:"audio/mpeg",wav:"audio/wav",m4a:"audio/mp4",ogg:"audio/ogg",flac:"audio/flac","3gp":"audio/3gpp",mp4:"video/mp4",webm:"video/webm",ogv:"video/ogg",mov:"video/quicktime",mkv:"video/x-matroska"},ending=path2=>path2.slice(path2.lastIndexOf(".")+1).toLowerCase(),PAGE=/^#page=\d+/,KEPT_MS=6e4,MOST_ELEMENTS=2e4;
function fillFiles(body){let urls=[],state={gone:!1};for(let image of body.querySelectorAll("img[data-file]"))fetchInto(
image,image.dataset.file??"",image.alt,urls,state);for(let link of body.querySelectorAll("a.media[data-file]")){let file=link.
dataset.file??"",type=SAFE[ending(file)]??"",player=playerOf(type,file);player&&(link.before(player),fetchInto(player,file,
file,urls,state,type))}return()=>{state.gone=!0,urls.forEach(URL.revokeObjectURL)}}function playerOf(type,file){let kind=type.
split("/")[0];if(kind!=="audio"&&kind!=="video")return null;let player=document.createElement(kind);return player.controls=
!0,player.setAttribute("aria-label",file),player}function fetchInto(element,file,text,urls,state,type=""){api.blob(file).
then(checked).then(blob=>{if(state.gone)return;let url=URL.createObjectURL(type?new Blob([blob],{type}):blob);element.src=
url,urls.push(url)},error=>{let failure2=document.createElement("span");Object.assign(failure2,{className:"no-image",textContent:`${isolated(
text||file)}: ${error.message}`}),element.replaceWith(failure2)})}async function checked(blob){if(blob.type.startsWith("image/svg")&&!isSmall(await blob.text()))throw new Error("this picture is too complex.");return blob}async function openFile(path2,subpath=""){
let type=SAFE[ending(path2)],tab3=type?open("","_blank"):null;try{let blob=await api.blob(path2),url=URL.createObjectURL(
new Blob([blob],{type:type??"application/octet-stream"}));setTimeout(()=>URL.revokeObjectURL(url),KEPT_MS),tab3?tab3.location.
replace(url+(PAGE.exec(subpath)?.[0]??"")):Object.assign(document.createElement("a"),{href:url,download:parted(path2).last}).
click()}catch(error){tab3?.close(),showError(error)}}function isSmall(source){let{documentElement}=new DOMParser().parseFromString(
source,"image/svg+xml"),sizes=new Map,size=element=>{let known=sizes.get(element);if(known!==void 0)return known;sizes.set(
element,1);let total=1,shown4=element.localName==="use"?targetOf(element):null;for(let one of shown4?[...element.children,
shown4]:element.children)total+=size(one);return sizes.set(element,total),total};return size(documentElement)<=MOST_ELEMENTS}
function targetOf(use){let address2=use.getAttribute("href")??use.getAttributeNS("http://www.w3.org/1999/xlink","href")??
"";return address2.startsWith("#")?use.ownerDocument.getElementById(address2.slice(1)):null}function hueOf(client){let hash=0;for(let char of tokenOf(client))hash=Math.imul(hash,31)+(char.codePointAt(0)??0)|0;return(hash*
137%360+360)%360}var tokenOf=client=>client.split(": ",1)[0];var SOMEBODY="somebody else",lastEdit=name=>api.log(name,1).then(({edits})=>edits[0]??null);async function authorOf(name,text){
try{let edit=await lastEdit(name),then=edit&&await api.revision(name,edit.rev);return!edit||then?.text!==text?SOMEBODY:isOwn(
edit.client)?"you in another window":clientOf(edit)}catch{return SOMEBODY}}var clientOf=({client})=>isOwn(client)?"you":
client||SOMEBODY,isOwn=client=>["page","review in a chat"].some(one=>client===[vault.value?.person??vault.value?.token,one].
filter(Boolean).join(": ")),newName=(name,{moves})=>moves.find(move=>move.from===name)?.to;async function lastTextOf(name,{
rev}){for(let one of[rev,before(rev)])try{return await api.revision(name,one)&&one}catch(error){if(!(error instanceof ApiError&&
error.kind==="NoVersion"))throw error}return null}var before=rev=>isNumber(rev)?String(Number(rev)-1):`${rev}~1`,isNumber=rev=>/^\d{1,6}$/.
test(rev);var RECENT_MS=1e4,BLOCKS="p, li, tr, pre, h1, h2, h3, h4, h5, h6, dt, dd, summary, figure, hr",CONTAINERS="ul, ol, dl, table, thead, tbody, blockquote, div, section, details",ANY=`${BLOCKS}, ${CONTAINERS}`;function tintFresh(body,earlier){let{
by,at:at2}=changed.peek();!by||isOwn(by)||Date.now()-at2>RECENT_MS||(body.style.setProperty("--hue",String(hueOf(by))),tintOther(
body,earlier))}function tintOther(body,other){let template=document.createElement("template");template.innerHTML=other;let before2=new Set(
[...template.content.children].map(written));for(let block of template.content.querySelectorAll(`${ANY}, .embed > a`))before2.
add(written(block)),block.matches("li")&&before2.add(writtenAll(firstLine(block)));tintIn(body,before2)}function tintIn(element,before2){
for(let block of[...element.children]){if(before2.has(written(block)))continue;block.matches(`${CONTAINERS}, li`)&&block.
querySelector(BLOCKS)?(block.matches("li")&&tintFirstLine(block,before2),tintIn(block,before2)):block.classList.add("fresh")}}function tintFirstLine(item,before2){let nodes=firstLine(item);if(!writtenAll(nodes)||before2.has(writtenAll(nodes)))
return;let line=document.createElement("div");line.className="fresh",nodes[0].before(line),line.append(...nodes)}function firstLine(item){
let nodes=[...item.childNodes],end=nodes.findIndex(node=>node instanceof Element&&node.matches(ANY));return end<0?nodes:
nodes.slice(0,end)}var written=block=>block.outerHTML.replaceAll(/ (?:data-task="\d+"|disabled=""|type="checkbox")|\?(?:at|then)=[^"]*/g,
""),writtenAll=nodes=>nodes.map(node=>node instanceof Element?written(node):node.textContent).join("").trim();function Body({name,source,isPreview=!1,onArrive,onTick}){let body=useElement(HTMLDivElement),shown4=ft({name,source}),{
at:at2}=route.value;Nt(()=>{let restore=focusAndFolds(body.current);body.current.innerHTML=source;let before2=shown4.current;
before2.name===name&&before2.source!==source&&(at2?tintOther:tintFresh)(body.current,before2.source),shown4.current={name,
source},prepare(body.current),reachWide(body.current),restore()},[source]),Nt(()=>{at2&&leadTo(at2,body.current)},[source,
at2]),Nt(()=>{for(let box of boxes(body.current))box.disabled=!onTick||!canWrite(embedOf(box)?.name??name)},[source,!onTick]);
let onChange=event=>{let box=event.target;box instanceof HTMLInputElement&&box.dataset.task&&onTick?.({line:Number(box.dataset.
task),isTicked:box.checked,embed:embedOf(box)})};return ut(()=>fillFiles(body.current),[source]),ut(()=>draw(body.current,
isPreview),[source]),Nt(()=>{let{name:target2,subpath}=route.peek();target2===name&&onArrive?.(arrive(whole(body.current),
subpath))},[source,address.value.position]),ut(()=>{let text=body.current,size=new ResizeObserver(()=>reachWide(text));return isPreview||
size.observe(text),()=>size.disconnect()},[]),nn`<div class="body" ref=${body} onClick=${event=>follow(event,body.current)} onChange=${onChange}></div>`}
var whole=body=>body.closest(".note-page")??body;function embedOf(box){let embed=box.closest(".embed"),link=embed?.querySelector(
":scope > a");return embed instanceof HTMLElement&&link instanceof HTMLElement?{name:link.dataset.note??"",etag:embed.dataset.
etag??""}:null}var boxes=body=>body.querySelectorAll("input[data-task]");function focusAndFolds(body){let text=element=>element?.
textContent,links=()=>[...body.querySelectorAll("a, summary, input[data-task]")],title=details=>text(details.querySelector(
"summary")),at2=links().findIndex(link=>link===document.activeElement),focused2=at2<0?null:text(document.activeElement),
folds=new Map([...body.querySelectorAll("details")].map(one=>[title(one),one.open]));return()=>{for(let one of body.querySelectorAll(
"details"))one.open=folds.get(title(one))??one.open;if(focused2===null)return;let there=links()[at2];(there&&text(there)===
focused2?there:links().find(one=>text(one)===focused2)??there)?.focus({preventScroll:!0})}}function leadTo(at2,body){for(let link of body.
querySelectorAll('a[href^="#/note/"]')){let{name,subpath}=parse(link.getAttribute("href")??"");name&&link.setAttribute("href",noteHash(name,subpath,{at:at2,named:"then"}))}}function prepare(body){let buttons=body.querySelectorAll("a[data-file], a[data-jump], a[data-scheme], a[data-gone]");for(let one of buttons)one.setAttribute("role",one.hasAttribute("data-jump")?"link":"button"),one.setAttribute("tabindex","0"),one.addEventListener("keydown",event=>{event instanceof KeyboardEvent&&
event.key==="Enter"&&one instanceof HTMLElement&&one.click()});let headings2=[...body.querySelectorAll("h1, h2, h3, h4, h5, h6")],levels2=levelsOf(headings2.map(({tagName})=>Number(tagName[1])));for(let[at2,one]of headings2.entries())one.setAttribute(
"aria-level",String(levels2[at2]));for(let one of body.querySelectorAll("input[type=checkbox]"))one.setAttribute("aria-label",one.parentElement?.textContent?.trim().slice(0,100)||"Task")}function levelsOf(written2){let above=[];return written2.
map(level=>(above=[...above.filter(one=>one<level),level],above.length+2))}var SCROLLED=[[".table","Table"],["pre","Code"],
[".math-display","Formula"]];function reachWide(body){for(let[kind,label]of SCROLLED)for(let one of body.querySelectorAll(
kind)){let isWide=one.scrollWidth>one.clientWidth,wanted={tabindex:"0",role:"region","aria-label":label};for(let[name,value]of Object.
entries(wanted))isWide?one.setAttribute(name,value):one.removeAttribute(name)}}function follow(event,body){let link=event.
target instanceof Element?event.target.closest("a"):null;if(!link)return;let{file,subpath,jump,scheme,gone}=link.dataset;
if(file?.endsWith(".base"))go(baseHash(file));else if(file!==void 0)openFile(file,subpath);else if(jump!==void 0)anchorOf(
link,jump,body);else if(scheme!==void 0)toast(`This page cannot open “${scheme.split(":")[0]}:” addresses: ${scheme}`);else if(gone!==
void 0)toast(`There is no file “${gone}” in this vault.`);else if(link.hash&&link.hash===location.hash)here(body);else
return;event.preventDefault()}function anchorOf(link,jump,body){let anchor=(link.closest(".embed, .expansion")??body).querySelector(
`[data-anchor="${CSS.escape(jump)}"]`);if(!anchor)return;show(anchor);let next=anchor.matches("a")?anchor:anchor.querySelector(
"a.back");next instanceof HTMLElement&&next.focus({preventScroll:!0})}function here(body){let place2=placeOf(whole(body),
route.peek().subpath);place2&&show(place2)}var[FEW,MOST5]=[200,1e3],SHORT=7;async function momentsOf(name,count){let{edits}=await api.log(name,count),moments=edits.
map(afterEdit).reverse(),isWhole=edits.length<count,first=edits.at(-1);return{moments:first&&isWhole&&isNumber(first.rev)?
[beforeEdit(first),...moments]:moments,isWhole}}var afterEdit=edit=>({...about2(edit),at:edit.rev,side:"after"}),beforeEdit=edit=>({
...about2(edit),at:justBefore(edit),side:"before"}),about2=edit=>({time:edit.time,what:whatOf(edit),edit:isNumber(edit.rev)?
edit.rev:""}),justBefore=({rev,time,outside})=>rev==="1"||outside?new Date((Math.floor(time)-1)*1e3).toISOString().replace(
".000",""):before(rev);function momentOf({rev,time,author}){if(!rev)return{at:rev,time,side:"before",what:"the first known edit",edit:""};let what=`${named2(rev)}${author&&` (${author})`}`;return{at:rev,time,side:"after",what,edit:isNumber(
rev)?rev:""}}function whatOf(edit){let{outside,client,rev}=edit;return outside==="hand"?`change ${rev} by hand`:outside===
"away"?`change ${rev} while zkmem was not running`:outside?`change ${rev} by ${outside}`:`${named2(rev)}${client&&` by ${isolated(
clientOf(edit))}`}`}var named2=rev=>isNumber(rev)?`edit ${rev}`:`commit ${rev.slice(0,SHORT)}`;async function showAsItWas(name){
let[last,earlier]=(await api.log(name,2)).edits;if(!last)return toast("No earlier moment of this note is known.");sliderWanted.
value=!0;let at2=earlier?.rev??(isNumber(last.rev)?justBefore(last):last.rev);go(noteHash(name,"",{at:at2}))}function AsItWas({
name}){let{act,busy,error}=useAction(()=>showAsItWas(name));return nn`<button type="button" onClick=${act} disabled=${busy}>As it was…</button>
    <${ErrorMessage} error=${error} />`}function ChangedNotes(props){let place2=ft(null),[isInView,setInView]=ot(!1);return ut(()=>{let observer=new IntersectionObserver(
entries=>{entries.some(entry=>entry.isIntersecting)&&setInView(!0)});return place2.current&&observer.observe(place2.current),
()=>observer.disconnect()},[]),isInView?nn`<${Loaded2} ...${props} />`:nn`<div class="unloaded" ref=${place2}><${Waiting} /></div>`}
function Loaded2({load:load4,keys:keys2,onUndo,then,isBare=!1}){let{data,error,again}=useLoad(load4,keys2);if(!data)return error?
nn`<${ErrorMessage} error=${error} again=${again} />`:nn`<${Waiting} />`;let{notes,more=0}=data;return nn`${notes.map((note,at2)=>nn`<${Changed} key=${note.
name} note=${note} onUndo=${at2?void 0:onUndo} then=${then}
      isBare=${isBare&&!at2} />`)}
  ${more>0&&nn`<p class="quiet">${numberOf(more,"more note")}</p>`}`}function Changed({note,onUndo,then,isBare}){let{name,
left,trouble,warnings,outdated}=note,passages="passages"in note?note.passages:[{number:null,under:"",html:note.html}];return nn`<section class="changed" aria-label=${name}>
    ${!isBare&&nn`<${Heading} note=${note} then=${then} />`}
    ${passages.map((one,at2)=>nn`<${Passage2} key=${at2} name=${name} passage=${one} heading=${headingOf(passages,at2)}
        onUndo=${passages.length>1?onUndo:void 0} />`)}
    ${left>0&&nn`<p class="quiet">${numberOf(left,"more changed block")}</p>`}
    ${trouble&&nn`<p class="quiet">${trouble}</p>`}
    ${warnings.map(warning=>nn`<p class="notice warn" key=${warning}>${warning}</p>`)}
    ${outdated.length>0&&nn`<p class="quiet">Other notes still have what was replaced:</p>`}
    <${OutdatedSentences} outdated=${outdated} />
  </section>`}var Heading=({note:{name,was,outcome,added,removed},then})=>nn`<h4 aria-level=${then?3:4}>
  ${was&&was!==name&&nn`<span class="was">${was}</span> → `}
  ${outcome==="deleted"?nn`<span class="was">${name}</span>`:nn`<${Name} name=${name} />`}
  ${" "}<span class="tag">${outcome}</span>
  ${outcome==="deleted"&&!isFile(name)&&nn`${" "}<${AsItWas} name=${name} />`}
  ${then&&!isFile(name)&&nn`${" "}<a href=${noteHash(name,"",{at:then,named:"then"})}>As it was then</a>${" "}<a
      href=${historyHash(name)}>History</a>`}
  ${" "}<${Size} added=${added} removed=${removed} />
</h4>`,Name=({name})=>isFile(name)?nn`<button type="button" class="link" onClick=${()=>openFile(name)}>${name}</button>`:
nn`<a href=${noteHash(name)}>${name}</a>`;function headingOf(passages,at2){let{under}=passages[at2],before2=passages[at2-
1];return before2&&(before2.under===under||textOf(before2.html)===under)?"":under}var textOf=source=>source.replace(/<[^>]*>/g,
"").trim();function Passage2({name,passage:{number,html:source},heading,onUndo}){if(!source)return null;let undo=onUndo&&
number!==null?()=>onUndo(number):null;return nn`<div class="passage-changed">
    ${(heading||undo)&&nn`<p class="under"><span>${heading}</span>${undo&&nn`<button type="button" class="plain" onClick=${undo}>Undo this passage…</button>`}</p>`}
    <${Boundary}><${Body} name=${name} source=${source} isPreview /></${Boundary}>
  </div>`}function Size({added,removed}){if(!added&&!removed)return null;let words=`${numberOf(added??0,"word")} added, ${formatNumber(
removed??0)} removed`;return nn`<span class="words"><span class="unseen">${words}</span><span aria-hidden="true">${added?
nn`<ins class="marked">+${formatNumber(added)}</ins> `:""}${removed?nn`<del class="marked">−${formatNumber(removed)}</del> `:
""}${(removed||added)===1?"word":"words"}</span></span>`}function OutdatedSentences({outdated}){return outdated.length?nn`<ul class="outdated" aria-label="Other notes that still have it">
    ${outdated.map(one=>nn`<${Sentence2} key=${`${one.note} ${one.old}`} one=${one} />`)}
  </ul>`:null}function Sentence2({one}){let{note,passage,new:now2}=one,[isMended,setMended]=ot(!1),{act,busy,error}=useAction(
async()=>{await mend(one),setMended(!0)});return nn`<li>
    <a href=${noteHash(note)}>${note}</a>: ${isMended?one.mended:passage}${" "}
    ${isMended?nn`<span class="tag">mended</span>`:nn`<button type="button" onClick=${act} disabled=${busy}><span>Put ${now2} there</span></button>`}
    <${ErrorMessage} error=${error} />
  </li>`}async function mend({note,passage,mended}){let{text,etag,next_offset:next}=await api.note(note),at2=text.indexOf(
passage);if(next!==null||at2<0||text.includes(passage,at2+1))throw new Error("Open the note to mend it.");await api.save(
note,text.slice(0,at2)+mended+text.slice(at2+passage.length),etag)}async function loadEditor(){let[module]=await script(Promise.all([import("./editor.js"),import("./vendor/editor.js")]));
return module}var loaded2=null,Editor=props=>nn`<${Part} name="Editor" props=${props} />`,TwoVersions=props=>nn`<${Part} name="TwoVersions" props=${props} />`;
function Part({name,props}){let[module,setModule]=ot(loaded2),[error,setError]=ot(null),load4=()=>{setError(null),loadEditor().
then(one=>setModule(loaded2=one),setError)};return ut(()=>{module||load4()},[]),module?nn`<${module[name]} ...${props} />`:
error?nn`<${ErrorMessage} error=${error} again=${load4} />`:nn`<${Waiting} />`}function withNeeded(edits,chosen,added){let all=new Set([...chosen,added]);for(let{edit,needs}of edits.toReversed())all.
has(edit)&&needs.forEach(one=>all.add(one));return all}function withDependent(edits,numbers){let all=new Set(numbers);for(let{
edit,needs}of edits)needs.some(one=>all.has(one))&&all.add(edit);return all}function without(edits,chosen,removed){let gone=withDependent(
edits,removed);return new Set([...chosen].filter(edit=>!gone.has(edit)))}function withToggled(edits,chosen,group){return group.
every(edit=>chosen.has(edit))?without(edits,chosen,group):group.reduce((all,edit)=>withNeeded(edits,all,edit),chosen)}function groupsOf2(edits){
let divisions=[divided(edits,({client})=>[client]),divided(edits,({notes})=>notes.map(({name})=>name.slice(0,name.lastIndexOf(
"/")+1)||"no folder")),divided(edits,({notes})=>notes.map(({outcome})=>outcome))];return[{label:"all",edits:edits.map(({
edit})=>edit)},...divisions.flat()]}function divided(edits,labelsOf){let groups=new Map;for(let edit of edits)for(let label of new Set(
labelsOf(edit).filter(Boolean)))groups.set(label,[...groups.get(label)??[],edit.edit]);return groups.size<2?[]:[...groups].
slice(0,30).map(([label,numbers])=>({label,edits:numbers}))}var O=class extends Error{constructor(i,o){super(i),this.name="ParseError",this.type=o.type,this.field=o.field,this.value=
o.value,this.line=o.line}},$=10,L2=13,E2=32,_=6;function G2(d){if(typeof d=="function")throw new TypeError("`config` must be an object, got a function instead. Did you mean `createParser({onEvent: fn})`?");let{maxBufferSize:i,onComment:o,onError:C,
onEvent:u,onId:A2,onRetry:h}=d,c=[],v2=0,y="",l,s="",a=0,x,I2=!1,p=!1,g=!1;function H2(e){if(I2)throw new Error("Cannot feed parser: it was terminated after exceeding the configured max buffer size. Call `reset()` to resume parsing.");if(y!==
void 0){if(e=y+e,e===""||e==="ï"||e==="ï»"){y=e;return}y=void 0,e=e.replace(/^(?:\uFEFF|\xEF\xBB\xBF)/,"")}if((p||g)&&
(e=M2(e),!e))return;if(!c.length){let r=z2(e);r!==""&&T(r),F2();return}if(e.indexOf(`
`)===-1&&e.indexOf("\r")===-1){if(v2<_){let r=c.join("")+e.slice(0,_-v2);if(!j(r)){c.length=0,v2=0,p=!0;return}}c.push(e),
v2+=e.length,F2();return}c.push(e);let t=c.join("");c.length=0,v2=0,T(z2(t)),F2()}function M2(e){if(e.length===0)return e;
if(g)return g=!1,e.charCodeAt(0)===$?e.slice(1):e;let t=e.indexOf("\r"),r=e.indexOf(`
`),f=t===-1?r:r===-1||t<r?t:r;return f===-1?"":f===e.length-1&&e.charCodeAt(f)===L2?(p=!1,g=!0,""):(p=!1,e.slice(f+(e.charCodeAt(
f)===L2&&e.charCodeAt(f+1)===$?2:1)))}function T(e){if(e){if(e.charCodeAt(e.length-1)===L2){if(P(e,0,e.length-1),F2())return;
g=!0;return}if(j(e)){c.push(e),v2=e.length;return}p=!0}}function j(e){let t=e.charCodeAt(0);return t===58&&!!o||t===100&&
B2(e,"data")||t===101&&B2(e,"event")||t===105&&B2(e,"id")||t===114&&B2(e,"retry")}function F2(){return I2?!0:i===void 0||
v2+s.length<=i?!1:(I2=!0,c.length=0,v2=0,l=void 0,s="",a=0,x=void 0,p=!1,g=!1,C?.(new O(`Buffered data exceeded max buffer size of ${i} characters`,{type:"max-buffer-size-exceeded"})),!0)}function z2(e){let t=0;if(e.indexOf("\r")===-1){let n=e.
indexOf(`
`,t);for(;n!==-1;){if(t===n){l!==void 0&&A2?.(l),a>0&&u?.({id:l,event:x,data:s}),l=void 0,s="",a=0,x=void 0,t=n+1,n=e.indexOf(
`
`,t);continue}let m2=e.charCodeAt(t);if(N2(e,t,m2)){let S2=e.charCodeAt(t+5)===E2?t+6:t+5,b2=e.slice(S2,n);if(a===0&&e.charCodeAt(
n+1)===$){l!==void 0&&A2?.(l),u?.({id:l,event:x,data:b2}),l=void 0,s="",x=void 0,t=n+2,n=e.indexOf(`
`,t);continue}s=a===0?b2:`${s}
${b2}`,a++}else X(e,t,m2)?x=e.slice(e.charCodeAt(t+6)===E2?t+7:t+6,n)||void 0:P(e,t,n);if(F2())return"";t=n+1,n=e.indexOf(
`
`,t)}return e.slice(t)}let r=e.indexOf("\r",t),f=e.indexOf(`
`,t);for(;t<e.length;){let n=-1;if(r!==-1&&f!==-1?n=r<f?r:f:r!==-1?r===e.length-1?n=-1:n=r:f!==-1&&(n=f),n===-1)break;if(P(
e,t,n),F2())return"";t=n+1,e.charCodeAt(t-1)===L2&&e.charCodeAt(t)===$&&t++,r!==-1&&r<t&&(r=e.indexOf("\r",t)),f!==-1&&f<
t&&(f=e.indexOf(`
`,t))}return e.slice(t)}function P(e,t,r){if(t===r){U2();return}let f=e.charCodeAt(t);if(N2(e,t,f)){let w2=e.charCodeAt(
t+5)===E2?t+6:t+5,R2=e.slice(w2,r);s=a===0?R2:`${s}
${R2}`,a++;return}if(X(e,t,f)){x=e.slice(e.charCodeAt(t+6)===E2?t+7:t+6,r)||void 0;return}if(f===105&&e.charCodeAt(t+1)===
100&&e.charCodeAt(t+2)===58){let w2=e.slice(e.charCodeAt(t+3)===E2?t+4:t+3,r);w2.includes("\0")||(l=w2);return}if(f===58){
if(o){let w2=e.slice(t,r);o(w2.slice(e.charCodeAt(t+1)===E2?2:1))}return}let n=e.slice(t,r),m2=n.indexOf(":");if(m2===-1){
D2(n,"",n);return}let S2=n.slice(0,m2),b2=n.charCodeAt(m2+1)===E2?2:1,J2=n.slice(m2+b2);D2(S2,J2,n)}function D2(e,t,r){switch(e){case"event":x=t||void 0;break;case"data":s=a===0?t:`${s}
${t}`,a++;break;case"id":t.includes("\0")||(l=t);break;case"retry":/^\d+$/.test(t)?h?.(parseInt(t,10)):C?.(new O(`Invalid \`retry\` value: "${t}"`,{type:"invalid-retry",value:t,line:r}));break;default:C?.(new O(`Unknown field "${e.length>20?
`${e.slice(0,20)}…`:e}"`,{type:"unknown-field",field:e,value:t,line:r}));break}}function U2(){l!==void 0&&A2?.(l),a>0&&
u?.({id:l,event:x,data:s}),l=void 0,s="",a=0,x=void 0}function q2(e={}){if(e.consume&&c.length>0){let t=c.join("");P(t,0,
t.length)}y="",l=void 0,s="",a=0,x=void 0,c.length=0,v2=0,I2=!1,p=!1,g=!1}return{feed:H2,reset:q2}}function N2(d,i,o){return o===
100&&d.charCodeAt(i+1)===97&&d.charCodeAt(i+2)===116&&d.charCodeAt(i+3)===97&&d.charCodeAt(i+4)===58}function X(d,i,o){return o===
101&&d.charCodeAt(i+1)===118&&d.charCodeAt(i+2)===101&&d.charCodeAt(i+3)===110&&d.charCodeAt(i+4)===116&&d.charCodeAt(i+
5)===58}function B2(d,i){let o=1;for(;o<d.length&&o<i.length;){if(d.charCodeAt(o)!==i.charCodeAt(o))return!1;o++}return d.
length<=i.length||d.charCodeAt(i.length)===58}var SILENCE_MS=4e4,LONGEST_MS=3e4;async function followEvents(){let wait=1e3;for(;;){let error=await listen(()=>{wait=1e3,
connection.value="live"}).catch(failure2=>failure2);connection.value="off",statusOf(error)===401?await tokenGiven():await pause(
wait*(.75+Math.random()/2)),wait=Math.min(2*wait,LONGEST_MS)}}async function listen(hello){let stop=new AbortController,
watchdog=0,alive=()=>{clearTimeout(watchdog),watchdog=setTimeout(()=>stop.abort(),SILENCE_MS)};try{let{body}=await request(
"events",{headers:{Accept:"text/event-stream"},signal:stop.signal});if(!body)return;let parser=G2({onEvent({event,data}){
event==="hello"&&hello(),event==="changed"&&(changed.value={...JSON.parse(data),at:Date.now()}),event==="proposed"&&(proposals.
value+=1)}}),text=body.pipeThrough(new TextDecoderStream).getReader();for(alive();;alive()){let{done,value}=await text.read();
if(done)return;parser.feed(value)}}finally{clearTimeout(watchdog)}}function pause(ms){return new Promise(resolve=>{let stop=new AbortController,
end=()=>{stop.abort(),clearTimeout(timer),resolve(void 0)},timer=setTimeout(end,ms);addEventListener("online",end,{signal:stop.
signal}),document.addEventListener("visibilitychange",()=>document.hidden||end(),{signal:stop.signal})})}function throttled(work){
let waiting=null,running=!1;return async function(names){if(waiting=new Set([...waiting??[],...names??[]]),!running){for(running=
!0;waiting;){let now2=[...waiting];waiting=null;let began=performance.now();await work(now2),await new Promise(over=>setTimeout(
over,Math.max(100,3*(performance.now()-began))))}running=!1}}}var BY_OTHER_PROGRAMS={hand:"By hand",away:"While zkmem was not running"},byOthers=outside=>BY_OTHER_PROGRAMS[outside]??
outside;function nameOf({client,outside,own=!1,synchronised=!1}){return outside?byOthers(outside):own?"You":client||(synchronised?
"Synchronisation":"Somebody")}var KEYS=["kind","client","folder","sitting"];function filterOf(query2){let given=new URLSearchParams(query2??""),filter={};
for(let key2 of KEYS)given.get(key2)&&(filter[key2]=given.get(key2)??"");return filter}var IN_A_SENTENCE={hand:"changes by hand",away:"changes while zkmem was not running"};function leadOf({clients,edits,since},now2){let tools=clients.filter(
({outside})=>!outside),who=[tools.length===1?tools[0].client||"Somebody":tools.length>1&&numberOf(tools.length,"client"),
...clients.map(({outside})=>outside&&(IN_A_SENTENCE[outside]??byOthers(outside)))].filter(Boolean),all=who.length>1?`${who.
slice(0,-1).join(", ")} and ${who.at(-1)}`:String(who[0]??"Somebody");return`${tools.length?all:all[0].toUpperCase()+all.
slice(1)}, ${numberOf(edits,"edit")}${since===null?"":` since ${sinceText(since,now2)}`}`}var WORDS={created:"new",relinked:"with new links"};function countText({kind,notes},isFirst=!1){return isFirst?kind==="created"?numberOf(notes,"new note"):
`${numberOf(notes,"note")} ${WORDS[kind]??kind}`:`${formatNumber(notes)} ${WORDS[kind]??kind}`}var MOST_FOLDERS=8;function foldersToChoose(folders,filter){
return folders.filter(({folder:folder2})=>folder2).filter(({folder:folder2},at2)=>at2<MOST_FOLDERS||folder2===filter.folder)}
var isDestroying=kind=>kind==="deleted"||kind==="overwritten",keyOf=({note,client,outside,first})=>`${first} ${outside}/${client}/${note}`;function withDone(lines,shown4,done){let all=lines.map(line=>{let mine=done.get(keyOf(line));return mine?.edit===
line.edit?mine:line}),place2=0;for(let key2 of shown4.map(keyOf)){let at2=all.findIndex(one=>keyOf(one)===key2),gone=done.
get(key2);at2>=0?place2=at2+1:gone&&all.splice(place2++,0,gone)}return all}var whyNoUndo=outside=>outside.startsWith("git ")?"git made these changes; undo them with git.":"";var FEW2=3,MOST6=100,Proposed=()=>proposed.value.map(set=>nn`<${Boundary} key=${set.client}><${Card} set=${set} /></${Boundary}>`);
function Card({set}){let{client,name:who,total,notes,more,edits,files,ended:seen}=set,[choosing,setChoosing]=ot(!1),[chosen,
setChosen]=ot(new Set),[dropping,setDropping]=ot(!1),[merging,setMerging]=ot(null),[left,setLeft]=ot([]),[made,setMade]=ot(
0),check=useLoad(()=>api.blocked(client),[client,seen,total]);useChanges(check.again);let blocked=check.data??{edits:[],
unchecked:0},some=()=>choosing?{edits:edits.map(({edit})=>edit).filter(edit=>chosen.has(edit))}:{},ended=()=>(setChosen(
new Set),fetchProposed()),accept2=useAction(async()=>{let done=await api.accept({client,seen,...some()});setLeft(done.left),
setMade(done.accepted.length);let count=numberOf(done.accepted.length,"edit");done.accepted.length&&!done.left.length&&toast(
`Accepted: ${count} by ${who}.`),await ended()}),drop2=useAction(async()=>{let{dropped}=await api.drop({client,seen,...some()});
toast(`Dropped: ${numberOf(dropped.length,"edit")} by ${who}.`),await ended()}),settled=()=>(setLeft([]),ended()),later=choosing?
withDependent(edits,chosen).size-chosen.size:0,needing=later?`, and ${numberOf(later,"later edit")} that ${later===1?"needs":"need"} them,`:"",toDrop=choosing?`${numberOf(chosen.size,"chosen edit")}${needing}`:`All proposed edits (${total})`,
onDrop=yes=>{setDropping(!1),yes&&drop2.act()},busy=accept2.busy||drop2.busy||choosing&&!chosen.size,which=choosing?"chosen":"all",size=`${numberOf(total,"edit")} in ${numberOf(notes.length+more,"note")}`;return nn`<article class="card new" style=${{
"--hue":hueOf(who)}} aria-label=${`Proposed by ${who}`}>
    <header>
      <h3>${who} proposes</h3>
      <span class="quiet"><${When} time=${set.ended} since=${set.began} />${` · ${size}`}</span>
    </header>
    <p class="quiet">These edits are not made yet. What you and others write meanwhile stays.</p>
    ${files.length>0&&nn`<p class="quiet names">Other files change, too: ${files.map(isolated).join(", ")}.</p>`}
    ${choosing?nn`<${Choice} set=${set} blocked=${blocked} chosen=${chosen} setChosen=${setChosen} merge=${setMerging} />`:
nn`<${Notes} key=${`${set.ended} ${total}`} set=${set} />`}
    ${left.length>0&&nn`<${LeftOut} client=${client} left=${left} made=${made} done=${settled}
      merge=${setMerging} />`}
    ${!left.length&&!choosing&&nn`<${InTheWay} edits=${edits} blocked=${blocked} merge=${setMerging} />`}
    ${vault.value?.can_write&&nn`<div class="toolbar" role="toolbar" aria-label=${`Proposed by ${who}`}>
        <button type="button" class="primary" onClick=${accept2.act} disabled=${busy}>Accept ${which}</button>
        <button type="button" class="danger" onClick=${()=>setDropping(!0)} disabled=${busy}>Drop ${which}…</button>
        <button type="button" aria-expanded=${choosing} onClick=${()=>setChoosing(!choosing)}>${choosing?"Show all changes":"Choose edits"}</button>
      </div>`}
    <${ErrorMessage} error=${accept2.error??drop2.error} />
    ${merging!==null&&nn`<${Merging} client=${client} edit=${merging} onClose=${()=>setMerging(null)} onDone=${settled} />`}
    ${dropping&&nn`<${Question} title="Drop these edits?" yes="Drop" danger onAnswer=${onDrop}>
        <p>${`${toDrop} by ${who} will be removed for good.`}</p>
      <//>`}
  </article>`}function Notes({set:{client,notes,more}}){return nn`${notes.map(({name,outcome,words,added,removed,first,notes:count})=>nn`<details class="proposed-note" key=${name}
        open=${notes.length<=FEW2}>
        <summary><strong>${name}</strong> <span
          class=${isDestroying(outcome)?"destroyed":"quiet"}>${directionless(words)}</span> <${Size} added=${added}
          removed=${removed} /></summary>
        <${ChangedNotes} load=${()=>api.proposedChanges(client,void 0,first,count)} keys=${[client,first]} />
      </details>`)}
  ${more>0&&nn`<p class="quiet">${numberOf(more,"more note")}</p>`}`}function Choice({set:{client,edits,total},blocked,chosen,
setChosen,merge}){let reasons=new Map(blocked.edits.map(one=>[one.edit,one])),[shown4,setShown]=ot(null),toggle2=group=>setChosen(
withToggled(edits,chosen,group));return nn`<div class="toolbar" role="group" aria-label="Choose by client, folder or kind">
      ${groupsOf2(edits).map(group=>nn`<button type="button" key=${group.label} aria-pressed=${pressed(group.edits,chosen)}
          onClick=${()=>toggle2(group.edits)}>${group.label} <span class="count">${formatNumber(group.edits.length)}</span></button>`)}
    </div>
    <ul class="proposed-edits">
      ${edits.map(({edit,title,needs})=>nn`<li key=${edit}>
          <label title=${`Edit ${edit}`}><input type="checkbox" checked=${chosen.has(edit)}
            onChange=${()=>toggle2([edit])} /> <span>${title}</span></label>
          ${needs.length>0&&nn`<span class="quiet">after ${titlesOf(edits,needs)}</span>`}
          ${reasons.has(edit)&&nn`<p class="notice warn"><${Reason} left=${reasons.get(edit)}
            merge=${merge} /></p>`}
          <button type="button" class="quiet" aria-expanded=${shown4===edit}
            onClick=${()=>setShown(shown4===edit?null:edit)}>${shown4===edit?"Hide":"Show"}<span
              class="unseen"> ${title}</span></button>
          ${shown4===edit&&nn`<${ChangedNotes} load=${()=>api.proposedChanges(client,edit,0,MOST6)} keys=${[client,edit]} />`}
        </li>`)}
    </ul>
    ${edits.length<total&&nn`<p class="quiet">Accept or drop some of these to see ${numberOf(total-edits.length,"more edit")}.</p>`}`}function InTheWay({edits,blocked:{edits:blocked,unchecked},merge}){let rest=unchecked>0&&nn`<p class="quiet">${numberOf(
unchecked,"later edit")} ${unchecked===1?"is":"are"} not checked yet.</p>`;return blocked.length?nn`<div class="notice warn" role="note">
    <p>${numberOf(blocked.length,"edit")} cannot be accepted as the notes are now:</p>
    <ul>${blocked.map(left=>nn`<li key=${left.edit}>
        <strong>${titlesOf(edits,[left.edit])}</strong>: <${Reason} left=${left} merge=${merge} /></li>`)}</ul>
    ${rest}
  </div>`:rest||null}var pressed=(group,chosen)=>group.every(edit=>chosen.has(edit))?"true":group.some(edit=>chosen.has(
edit))?"mixed":"false",titlesOf=(edits,numbers)=>numbers.map(number=>edits.find(({edit})=>edit===number)?.title??`edit ${number}`).
join(", ");function LeftOut({client,left,made,done,merge}){let gone=left.filter(one=>one.gone).map(({edit})=>edit),keep=useAction(
async()=>{await api.accept({client,edits:gone,as_new:!0}),await done()});return nn`<div class="trouble" role="alert">
    ${made>0&&nn`<p>Accepted: ${numberOf(made,"edit")}.</p>`}
    <p>${numberOf(left.length,"edit")} could not be made, and still ${left.length===1?"waits":"wait"}:</p>
    <ul>${left.map(one=>nn`<li key=${one.edit}><${Reason} left=${one} merge=${merge} /></li>`)}</ul>
    ${gone.length>0&&nn`<button type="button" onClick=${keep.act} disabled=${keep.busy}>Keep as ${gone.length===1?"a new note":"new notes"}</button>`}
    <${ErrorMessage} error=${keep.error} />
  </div>`}var Reason=({left:{edit,reason,note},merge})=>nn`<${Sentence} text=${reason} />${note&&vault.value?.can_write&&
nn` <button type="button" onClick=${()=>merge(edit)}>Open both versions<span class="unseen"> of
    ${note}</span>…</button>`}`;function Merging({client,edit,onClose,onDone}){let[isTyped,setTyped]=ot(!1),{data,error}=useLoad(
async()=>{let{base,mine,theirs,...note}=await api.proposedVersions(client,edit);return{...note,texts:{base,mine,theirs,...await api.
merge({base,mine,theirs})}}},[client,edit]),save2=async text=>{let{left}=await api.accept({client,edits:[edit],text,etag:data?.
etag});if(left.length)throw new Error(left[0].reason);toast(`Accepted, as you merged it: ${isolated(data?.name??"")}.`),
onClose(),await onDone()};return nn`<${Dialog} title="Merge the proposed edit" onClose=${onClose} busy=${isTyped} wide>
    <${ErrorMessage} error=${error} />
    ${!data&&!error&&nn`<${Waiting} />`}
    ${data?nn`<div class="editor"><${TwoVersions} kind="proposed" name=${data.name} texts=${data.texts} onSave=${save2}
            onChange=${()=>setTyped(!0)} onBack=${onClose} back="Cancel" /></div>`:nn`<div class="actions"><button type="button" data-first onClick=${onClose}>Cancel</button></div>`}
  <//>`}async function fetchProposed(){vault.peek()?.proposes||(proposed.value=(await api.proposed()).change_sets)}function followProposed(){
let fetch2=throttled(()=>fetchProposed().catch(()=>{}));A(()=>{let{names}=changed.value;connection.value!=="connecting"&&
proposals.value>=0&&fetch2(names)})}var waitingCount=()=>proposed.value.reduce((sum,{total})=>sum+total,0);var THEMES={auto:["◐","like the system"],light:["☀","light"],dark:["☾","dark"]};function Bar(){let[sign,name]=THEMES[theme.
value];return nn`<header class="bar">
    <${Brand} />
    <div class="tools">
      <span class=${`connection ${connection.value}`} role="status">${connection.value==="off"&&nn`<i aria-hidden="true"></i><span>Not connected</span>`}</span>
      ${vault.value?.can_write&&nn`<button type="button" class="new-note" onClick=${()=>creating.value=""} aria-label="New note"
          aria-keyshortcuts="n" title="New note (n)">+</button>`}
      <button type="button" onClick=${nextTheme} aria-label=${`Colours: ${name}`}
        title=${`Colours: ${name}`}>${sign}</button>
      <button type="button" onClick=${()=>helpShown.value=!0} aria-label="Help" title="Help (?)">?</button>
    </div>
    <div class="seek"><${SearchBox} /><${PaletteButton} /></div>
    ${vault.value?.token&&signedIn()&&nn`<p class="signed"><span>${vault.value.person??vault.value.token}</span>${vault.
value.person&&nn`<button type="button" class="plain" onClick=${()=>signInsShown.value=!0}>Sign-ins</button>`}<button type="button" class="plain" onClick=${signOut}>Sign out</button></p>`}
  </header>`}function Brand(){let{name="zkmem",vaults=[]}=vault.value??{},icon=nn`<img src=${fileOf("icon.svg")} alt=${vaults.
length>1?"Home":""} width="24" height="24" />`;return vaults.length<2?nn`<a class="brand" href="#" title="Home" onClick=${toPanel}>${icon}<h1>${name}</h1></a>`:
nn`<div class="brand">
    <a href="#" title="Home" onClick=${toPanel}>${icon}</a>
    <h1><select aria-label="Vault" title="Open another vault" value=${name} onChange=${async({currentTarget:select})=>{await openVault(
select.value)||(select.value=name)}}>
      ${vaults.map(one=>nn`<option key=${one} value=${one}>${one}</option>`)}
    </select></h1>
  </div>`}var toPanel=()=>tab.value="panel";function Tabs(){let{view,list:list2}=route.value,isTidy=view==="tidy"||view===
"list"&&list2!==null&&list2 in KINDS2,isTree=tab.value==="folders",link=(href,text,here2,count=0)=>nn`<a href=${href} aria-current=${here2&&
tab.value==="panel"?"page":void 0} onClick=${toPanel}>
      <span>${text}</span>${count>0&&nn`<small>(${count})</small>`}
    </a>`,button=(text,here2,act,kind="")=>nn`<button type="button" class=${kind} aria-pressed=${here2} onClick=${act}>${text}</button>`;
return nn`<nav class="tabs" aria-label="Parts">
    ${link("#","Home",view==="")}
    ${link("#/review","Review",view==="review"||view==="history",(unseen.value??0)+waitingCount())}
    ${link("#/tidy","Tidy",isTidy)}
    ${button("Folders",isTree,()=>tab.value=isTree?"panel":"folders","folders-tab")}
    ${button("Map",tab.value==="graph",toggleMap)}
  </nav>`}var LISTED=Object.keys(LISTS).filter(key2=>key2!=="bases");function Commands(){return useActions(commands()),null}var others2=()=>(vault.
value?.vaults??[]).filter(name=>name!==vault.value?.name);function commands(){let mayWrite=vault.value?.can_write;return[
...mayWrite?[{title:"New note…",key:"n",act:()=>creating.value=""}]:[],{title:"Search",hint:"/",act:()=>document.getElementById(
"search")?.focus()},{title:"Whole map",hint:"g",act:toggleMap},{title:"Home",act:()=>go("")},{title:"Review: what changed",act:()=>go("#/review")},{title:"Tidy: what to mend",act:()=>go("#/tidy")},{title:"History of all edits",act:()=>go("#/history")},...mayWrite?[{title:"Undo the last edit…",act:()=>undoing.value=!0}]:[],...LISTED.map(key2=>({title:LISTS[key2].
title,act:()=>go(`#/list/${key2}`)})),{title:"Change the colours: light, dark, like the system",act:nextTheme},{title:"Keys and search filters",hint:"?",act:()=>helpShown.value=!0},...others2().map(name=>({title:`Open the vault ${isolated(name)}`,
act:()=>openVault(name)})),...vault.value?.person?[{title:"Your sign-ins",act:()=>signInsShown.value=!0}]:[],...signedIn()?
[{title:"Sign out",act:signOut}]:[],...vault.value?[]:[{title:"Sign in",act:signIn}]]}var TABLES="#/list/bases",MOST_OPEN=50,STEP=200,order=new Intl.Collator(void 0,{numeric:!0}).compare;function Folders(){
let[most,setMost]=ot(STEP),open3=["",...[...openFolders.value].slice(-MOST_OPEN)],{data,again}=useLoad(()=>api.tree(open3,
most),[openFolders.value,most]);useChanges(again);let hasTables=data?.has_bases??!1;useActions(hasTables?[{title:"Tables",
act:()=>go(TABLES)}]:[]);let tree={of:new Map(data?.folders.map(rows=>[rows.path,rows])),most,setMost};return nn`<nav class="folders" aria-label="Folders" onKeyDown=${moveInList}>
    <${Rows} path="" tree=${tree} />
    ${hasTables&&nn`<p class="quiet"><a href=${TABLES}>Tables</a></p>`}
  </nav>`}function Rows({path:path2,tree}){let rows=tree.of.get(path2);if(!rows)return null;let folders=[...rows.folders].
sort((one,other)=>order(one.path,other.path)),notes=[...rows.notes].sort(order),shown4=[...folders,...notes].slice(0,tree.
most),more=`Show ${numberOf(Math.min(STEP,rows.total-shown4.length),"more row")}`;return nn`<ul>
    ${shown4.map(row=>typeof row=="string"?nn`<${NoteRow} key=${`note ${row}`} name=${row} />`:nn`<${FolderRow} key=${`folder ${row.path}`} folder=${row} tree=${tree} />`)}
    ${rows.total>shown4.length&&nn`<li><button type="button" data-row onClick=${()=>tree.setMost(tree.most+STEP)}>${more}</button></li>`}
  </ul>`}function FolderRow({folder:{path:path2,notes:count},tree}){let isOpen=openFolders.value.has(path2);return nn`<li>
    <button type="button" class="folder-row" data-row aria-expanded=${isOpen} onClick=${()=>toggle(path2)}>
      <span>${parted(path2).last}</span><small aria-label=${numberOf(count,"note")}>${count}</small></button>
    ${isOpen&&nn`<${Rows} path=${path2} tree=${tree} />`}
  </li>`}function NoteRow({name}){let here2=route.value.view==="note"&&route.value.name===name;return nn`<li><a href=${noteHash(
name)} data-row title=${directionless(name)}
    aria-current=${here2?"page":void 0}>${parted(name).last}</a></li>`}function toggle(path2){let open3=new Set(openFolders.
peek());open3.delete(path2)||open3.add(path2),openFolders.value=open3}A(()=>{let{view,name}=route.value,path2=view==="note"&&name?name:`${vault.value?.folder??""}/`,open3=new Set(openFolders.peek());for(let end=path2.indexOf("/",1);end>0;end=
path2.indexOf("/",end+1))open3.add(path2.slice(0,end));open3.size>openFolders.peek().size&&(openFolders.value=open3)});var DELAY_MS=400,LEAVE_MS=200,MOST_CHARACTERS2=1500,LONGEST_BLOCK=2e4,MOST_KEPT=40,GAP=6,LINKS='a[href^="#/note/"]:not(.missing, .tabs a, .outline a, .hover-card a, .missing > a)',kept=new Map;changed.subscribe(()=>kept.clear());function HoverCard(){
let[card,setCard]=ot(null),box=useElement(HTMLDivElement);if(ut(()=>follow2(setCard),[]),ut(()=>setCard(null),[address.value.
position]),Nt(()=>{card&&place(box.current,card.link)},[card]),!card)return null;let label=`Preview of ${card.name}`;return nn`<div class="hover-card" ref=${box} role="group" aria-label=${label} key=${card.
source}>
    <p class="hover-name" dir="auto">${card.name}</p>
    ${card.source?nn`<${Boundary}><${Body} name="" source=${card.source} isPreview /></${Boundary}>`:nn`<p class="quiet">This note is empty.</p>`}
  </div>`}function follow2(show2){let stop=new AbortController,timer=0,current=null,hide=()=>{clearTimeout(timer),current=
null,show2(null)},wait=link=>{clearTimeout(timer),link!==current&&(current=link,timer=setTimeout(async()=>{let card=await preview(
link).catch(()=>null);current===link&&link.isConnected&&show2(card)},DELAY_MS))},leave2=()=>{clearTimeout(timer),timer=setTimeout(
hide,LEAVE_MS)},on=(kind,act)=>addEventListener(kind,act,{signal:stop.signal,capture:!0,passive:!0}),[x,y]=[NaN,NaN],below=null,
hasMoved=event=>{if(!(event instanceof PointerEvent)||event.pointerType==="touch")return!1;let moved=event.clientX!==x||
event.clientY!==y;return[x,y]=[event.clientX,event.clientY],moved};return on("pointerover",event=>{if(event instanceof PointerEvent&&
event.pointerType==="touch")return;let[link,moved]=[linkOf(event),hasMoved(event)];below=moved?null:link,link&&(moved||link===
current)?wait(link):isInCard(event)?clearTimeout(timer):current&&current!==document.activeElement&&leave2()}),on("pointermove",event=>{!hasMoved(event)||!below||linkOf(event)!==below||(wait(below),below=null)}),on("focusin",event=>{let link=linkOf(
event);link?.matches(":focus-visible")?wait(link):current&&!isInCard(event)&&leave2()}),on("pointerdown",event=>isInCard(
event)||hide()),on("keydown",event=>{!(event instanceof KeyboardEvent)||event.key==="Tab"||!current||(event.key==="Escape"&&document.querySelector(".hover-card")&&event.stopPropagation(),hide())}),on("scroll",event=>isInCard(event)||hide()),
()=>stop.abort()}var target=event=>event.target instanceof Element?event.target:null,isInCard=event=>!!target(event)?.closest(
".hover-card");function linkOf(event){let link=target(event)?.closest("a");return link?.matches(LINKS)?link:null}async function preview(link){
let{name,subpath,...then}=parse(link.hash);if(!name)return null;let source=kept.get(link.hash)??beginning((await api.part(
name,0,0,then)).html,subpath);return kept.set(link.hash,source),kept.size>MOST_KEPT&&kept.delete(kept.keys().next().value),
{link,name:titleOf(name,subpath),source}}var titleOf=(name,subpath)=>[name,subpath.slice(subpath.lastIndexOf("#")+1)].filter(
Boolean).map(isolated).join(" › ");function beginning(source,subpath){let{body}=new DOMParser().parseFromString(source,
"text/html"),block=(subpath?placeOf(body,subpath):null)??body.firstElementChild;for(;block?.parentElement&&block.parentElement!==
body;)block=block.parentElement;let left=MOST_CHARACTERS2,shown4="";for(;block&&left>0;block=block.nextElementSibling)shown4+=
block.outerHTML.length>LONGEST_BLOCK?plain(block):block.outerHTML,left-=block.textContent?.length??0;return shown4}function plain(block){
let text=document.createElement("p");return text.textContent=`${block.textContent?.slice(0,MOST_CHARACTERS2)}…`,text.outerHTML}
function place(card,link){for(let one of card.querySelectorAll("a, button, input, summary, audio, video, iframe, [tabindex]"))one.setAttribute("tabindex","-1");let at2=link.getClientRects()[0]??link.getBoundingClientRect(),{width,height}=card.
getBoundingClientRect(),below=innerHeight-at2.bottom-GAP,top=height<=below||below>at2.top?at2.bottom+GAP:Math.max(GAP,at2.
top-GAP-height);card.style.top=`${top}px`,card.style.left=`${Math.max(GAP,Math.min(at2.left,innerWidth-width-GAP))}px`}function Restore({name,rev,text="Restore…"}){let[asking,setAsking]=ot(!1),reason=Et(),{act,busy,error}=useAction(async()=>{
let done=await api.restore({name,rev}),result=done.outcome==="unchanged"?"has that text already":"is restored";toast([`${done.
name} ${result}.`,...done.remarks].join(" ")),open2(done.name)}),answer2=yes=>{setAsking(!1),yes&&act()},may=canWrite(name);
return nn`<button type="button" class="danger" disabled=${!may||busy} aria-describedby=${may?void 0:reason}
      onClick=${()=>setAsking(!0)}>${text}</button>
    ${!may&&nn`<span class="quiet" id=${reason}>You may only read this note.</span>`}
    <${ErrorMessage} error=${error} />
    ${asking&&nn`<${RestoreQuestion} name=${name} rev=${rev} onAnswer=${answer2} />`}`}function RestoreQuestion({name,rev,
onAnswer}){let{data,error}=useLoad(()=>api.diff(name,rev),[name,rev]);return nn`<${Question} title=${`Restore ${isolated(
name)}?`} yes="Restore" onAnswer=${onAnswer}>
    <p>The note gets this older text again. If it has another text now, that stays in the history.</p>
    ${!data&&!error&&nn`<${Waiting} />`}
    ${error&&nn`<p class="quiet"><${Sentence} text=${error.message} /></p>`}
    ${data&&(data.diff?nn`<p>These changes since then are taken back:</p>
          <${Diff} text=${data.diff} label=${`What has changed since in ${name}`} />`:nn`<p class="quiet">The note has this text now.</p>`)}
  <//>`}function UndoDialog({which,action="undo",title,about:about3="",onDone,onClose}){let{edit,sitting=!1}=which,state=usePreview(
action,sitting?{...which,partial:!0}:which),left=state.plan?.left??[];ut(()=>(addEventListener("hashchange",onClose),()=>removeEventListener(
"hashchange",onClose)),[]);let{act,busy,error}=useAction(async()=>{let done=await(action==="undo"?api.undo({...which,partial:left.
length>0}):api.redo({edit})),verb2=action==="undo"?"Undone":"Redone",but=done.left.length?`, but ${stays(done.left.length)}`:
"";toast([`${verb2}: ${about3||done.edits.join(", ")}${but}.`,...done.remarks].join(" ")),onDone?.(),onClose()}),[verb,other]=action===
"undo"?["Undo","redo the undo"]:["Redo","undo it again"];return nn`<${Dialog} title=${title} onClose=${onClose} busy=${busy} wide>
    <form onSubmit=${act}>
      ${about3&&nn`<p>${about3}</p>`}
      ${!about3&&state.plan&&nn`<p><strong>${state.plan.edits.join(", ")}</strong></p>`}
      <p class="quiet">What was written since stays. You can ${other}.</p>
      ${left.length>0&&nn`<p><strong>${stays(left.length)}:</strong></p>
          <ul>${left.map(one=>nn`<li key=${one.edit}><${Sentence} text=${one.reason} /></li>`)}</ul>`}
      <${Preview} state=${state} summary=${()=>""} />
      <${ErrorMessage} error=${error} />
      <div class="actions">
        <button type="button" data-first onClick=${onClose} disabled=${busy}>Cancel</button>
        <button type="submit" class="primary" disabled=${busy||!state.plan}>${left.length?`${verb} the rest`:verb}</button>
      </div>
    </form>
  <//>`}var stays=count=>`${numberOf(count,"edit")} ${count===1?"stays":"stay"}`,close=()=>undoing.value=!1,UndoLast=()=>undoing.
value&&nn`<${UndoDialog} which=${{}} title="Undo the last edit?" onClose=${close} />`;var VIEWS={edit:"What it changed",now:"What has changed since",text:"The text then"};function Revision({name,edit}){let[
asking,setAsking]=ot(!1),{rev,notes,title,tool,outside,undone}=edit;if(name)return nn`<${OfNote} name=${name} rev=${rev} />`;
let canUndo=vault.value?.can_write&&isNumber(rev)&&tool!=="undo"&&!undone&&!outside.startsWith("git ");return nn`<div class="revision">
    ${isNumber(rev)&&nn`<div class="toolbar">${canUndo&&nn`<button type="button" class="danger" onClick=${()=>setAsking(
!0)}>Undo this edit…</button>`}<a href=${editHash(rev)}>Edit ${rev}</a></div>`}
    ${asking&&nn`<${UndoDialog} which=${{edit:Number(rev)}} title="Undo this edit?" about=${title}
        onClose=${()=>setAsking(!1)} />`}
    ${isNumber(rev)?nn`<${ChangedNotes} load=${()=>api.change({edit:Number(rev)})} keys=${[rev]} then=${rev} />`:notes.map(
note=>nn`<section key=${note}>
              <h3><a href=${historyHash(note)}>${note}</a></h3>
              <p><a href=${noteHash(note,"",{at:rev,named:"then"})}>As it was then</a></p>
              <${Shown} view="edit" name=${note} rev=${rev} />
            </section>`)}
    ${!notes.length&&nn`<p class="quiet">This edit touched no note.</p>`}
  </div>`}function OfNote({name,rev}){let[view,setView]=ot("edit"),button=key2=>nn`<button key=${key2} type="button" aria-pressed=${view===
key2}
    onClick=${()=>setView(key2)}>${VIEWS[key2]}</button>`;return nn`<div class="revision">
    <div class="toolbar" role="toolbar" aria-label=${`Revision ${rev}`}>
      ${button("edit")}${button("now")}${button("text")}
      <a class="button" href=${noteHash(name,"",{at:rev})}>As it was</a>
      ${vault.value?.can_write&&nn`<${Restore} name=${name} rev=${rev} />`}
    </div>
    ${view==="edit"&&isNumber(rev)?nn`<${ChangedNotes} load=${()=>changeOf(Number(rev),name)} keys=${[rev]} />`:nn`<${Shown} key=${view} view=${view} name=${name} rev=${rev} />`}
  </div>`}async function changeOf(edit,name){let{notes,more}=await api.change({edit}),own=notes.filter(note=>note.name===
name||note.was===name);return own.length?{notes:own}:{notes,more}}function Shown({view,name,rev}){let{data,error}=useLoad(
()=>LOADS2[view](name,rev),[name,rev,view]);return data?"text"in data?nn`<pre class="diff plain" tabindex="0" role="group"
      aria-label=${`${VIEWS.text}: ${name}`}>${data.text}</pre>`:data.diff?nn`<${Diff} text=${data.diff} label=${`${VIEWS[view]}: ${name}`} />`:nn`<p class="quiet">Its text stayed the same.</p>`:error?nn`<p class="quiet"><${Sentence} text=${error.message} /></p>`:
nn`<${Waiting} />`}var LOADS2={edit:changedBy,now:api.diff,text:api.revision};async function changedBy(name,rev){try{return await api.
diff(name,before(rev),rev)}catch(error){if(!(error instanceof ApiError&&error.kind==="NoVersion"))throw error;return api.
revision(name,rev)}}function Menu({label,groups,children}){let[isOpen,setOpen]=ot(!1),box=useElement(HTMLDivElement),button=useElement(HTMLButtonElement),
id=Et(),items=()=>[...box.current.querySelectorAll("[role^=menuitem]")];Nt(()=>{isOpen&&items()[0]?.focus({preventScroll:!0})},
[isOpen]);let close3=()=>{button.current.focus({preventScroll:!0}),setOpen(!1)},onKeyDown=event=>{let next=isOpen?nextItem(
items(),event.key):null;if(next)next.focus();else if(event.key==="Escape"&&isOpen)close3();else if(event.key==="ArrowDown"&&!isOpen)setOpen(!0);else return event.key==="Tab"&&isOpen?setOpen(!1):void 0;event.preventDefault(),event.stopPropagation()},
onFocusOut=({relatedTarget})=>{(!(relatedTarget instanceof Node)||!box.current.contains(relatedTarget))&&setOpen(!1)},choose=({
act})=>{close3(),act?.()};return nn`<div class="menu" ref=${box} onKeyDown=${onKeyDown} onFocusOut=${onFocusOut}>
    <button type="button" ref=${button} aria-haspopup="menu" aria-expanded=${isOpen} aria-controls=${id}
      aria-label=${label} title=${label} onClick=${()=>setOpen(!isOpen)}>${children}</button>
    <div role="menu" id=${id} aria-label=${label} hidden=${!isOpen}>
      ${isOpen&&groups.map((group,at2)=>nn`<${Items} key=${at2} group=${group} choose=${choose} />`)}
    </div>
  </div>`}function Items({group:{label,items},choose}){return nn`<div role="group" class=${label?"choices":void 0} aria-label=${label}>
    ${label&&nn`<span aria-hidden="true">${label}</span>`}
    ${items.map(item=>{let{text,href,checked:checked2,danger}=item,about3={role:checked2===void 0?"menuitem":"menuitemradio","aria-checked":checked2,tabindex:-1,class:danger?"danger":void 0,onClick:()=>choose(item)};return href?nn`<a key=${text} href=${href} ...${about3}><span>${text}</span></a>`:
nn`<button type="button" key=${text} ...${about3}><span>${text}</span></button>`})}
  </div>`}function nextItem(items,key2){let at2=items.findIndex(item=>item===document.activeElement),by={ArrowDown:1,ArrowRight:1,
ArrowUp:-1,ArrowLeft:-1}[key2];return by?items[(at2+by+items.length)%items.length]:key2==="Home"?items[0]:key2==="End"?items[items.
length-1]:key2.length!==1||key2===" "?null:[...items.slice(at2+1),...items.slice(0,at2+1)].find(item=>item.textContent?.
toLowerCase().startsWith(key2.toLowerCase()))??null}var LEVELS=[0,1,2,3],MOST_PINNED=100,key=()=>`zkmem:pinned:${vault.value?.name??""}`;A(()=>{if(!vault.value)return;let stored2=JSON.
parse(localStorage.getItem(key())??"[]");pinned.value=Array.isArray(stored2)?stored2.filter(name=>typeof name=="string"):
[]});var levels=()=>({label:"Expand links",items:LEVELS.map(level=>({text:String(level),checked:depth.value===level,act:()=>depth.
value=level}))}),ActionsThen=({name})=>nn`<div class="toolbar" role="toolbar" aria-label="This note">
  <${Menu} label="More actions" groups=${[{items:[{text:"History",href:historyHash(name)}]},levels()]}>
    <span aria-hidden="true">⋯</span><//>
</div>`;function Actions({name,edit,ask:ask2}){let mayWrite=vault.value?.can_write,groups=[{items:[{text:pinned.value.includes(
name)?"Unpin":"Pin to Home",act:()=>togglePin(name)},{text:"Show in map",act:()=>focusInGraph(name)},{text:"History",href:historyHash(
name)},{text:"As it was…",act:()=>showAsItWas(name).catch(showError)}]},levels(),...mayWrite?[{items:[{text:"Rename…",
act:()=>ask2("rename")},{text:"Delete…",danger:!0,act:()=>ask2("remove")}]}]:[]];return nn`<div class="toolbar" role="toolbar" aria-label="This note">
    ${mayWrite&&nn`<button type="button" class="primary" aria-keyshortcuts="e" title="Edit (e)" onClick=${edit}>Edit</button>`}
    <${Menu} label="More actions" groups=${groups}><span aria-hidden="true">⋯</span><//>
  </div>`}function togglePin(name){let others3=pinned.peek().filter(one=>one!==name);pinned.value=others3.length<pinned.
peek().length?others3:[...others3,name].slice(-MOST_PINNED),localStorage.setItem(key(),JSON.stringify(pinned.peek()))}var TYPES={text:"Text",list:"List",number:"Number",checkbox:"Checkbox",date:"Date",datetime:"Date and time",tags:"Tags",
aliases:"Aliases",other:"Other"},OF_NAME={tags:"tags",tag:"tags",aliases:"aliases",alias:"aliases"},DATE=/^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?))?$/,
NUMBER=/^[-+]?(?:\d+\.?\d*|\.\d+)$/,typesFor=name=>{let own=OF_NAME[name.trim().toLowerCase()];return own?[own]:["text",
"list","number","checkbox","date","datetime"]},isList=type=>type==="list"||type==="tags"||type==="aliases",itemOf=(type,written2)=>type===
"tags"?written2.trim().replace(/^#+/,"").replace(/\s+/g,"-"):written2.trim();function valueOf(type,written2){let text=written2.
trim();if(isList(type))return[itemOf(type,text)].filter(Boolean);if(type==="text"||!text)return written2;if(type==="number")return NUMBER.test(text)?Number(text):void 0;if(type==="checkbox")return{true:!0,false:!1}[text];let[,day,hour]=DATE.
exec(text)??[];if(day)return type==="date"?day:`${day}T${hour??"00:00"}`}function converted(value,type){return Array.isArray(
value)?isList(type)?value:value.length>1&&type!=="text"?void 0:converted(value.join(", "),type):isList(type)?value===""?
[]:[value]:value===""&&type==="checkbox"?!1:valueOf(type,String(value))}var FIELDS2={text:"text",number:"number",date:"date",datetime:"datetime-local"};function Properties({values}){return values.
length?nn`<${Table} rows=${values.map(one=>nn`<tr key=${one.key}><th scope="row" dir="auto">${one.key}</th>
      <td dir="auto"><${Values} ...${one} /></td></tr>`)} />`:null}var Table=({rows})=>nn`<table class="properties">
  <caption class="unseen">Properties</caption>
  <tbody>${rows}</tbody>
</table>`;function EditableProperties({note,onSaved,again,isWriting}){let[error,setError]=ot(null),[isAdding,setAdding]=ot(
!1),etag=ft(note.etag),last=ft(Promise.resolve(!0)),renamed2=ft(""),add=useElement(HTMLButtonElement);Nt(()=>{etag.current=
note.etag},[note.etag]);let makeNow=async change=>{isWriting.current=!0;try{let saved2=await api.setProperties({names:[note.
name],etag:etag.current,...change});etag.current=saved2.etag||etag.current;for(let remark of saved2.remarks)toast(remark);
return setError(null),onSaved(saved2),!0}catch(failure2){return setError(failure2),again(),!1}finally{isWriting.current=
!1}},make=change=>last.current=last.current.then(()=>makeNow(change)),rename=async(key2,to)=>(renamed2.current=to,make({
renames:{[key2]:to}})),remove=async key2=>{await make({properties:{[key2]:null}})&&(toast(`The property ${key2} is removed.`),add.current.focus())},rows=note.values.map(one=>nn`<${Row} key=${one.key} property=${one} make=${make} rename=${rename} remove=${remove}
      focus=${one.key===renamed2.current} fail=${setError} />`);return nn`${rows.length>0&&nn`<${Table} rows=${rows} />`}
    <${ErrorMessage} error=${error} />
    ${isAdding?nn`<${Add} known=${note.values.map(({key:key2})=>key2.toLowerCase())} make=${make}
            close=${()=>setAdding(!1)} />`:nn`<button type="button" class="plain add-property" ref=${add}
            onClick=${()=>setAdding(!0)}>Add property</button>`}`}function Row({property,make,rename,remove,focus,fail}){
let{key:key2,type,value,items}=property,[open3,setOpen]=ot(null),row=useElement(HTMLTableRowElement),before2=ft(focus?"name":null);Nt(()=>{let next=row.current.querySelector(before2.current==="name"?"th button":"td :is(button, input)");!open3&&
before2.current&&!isTyping()&&next instanceof HTMLElement&&next.focus({preventScroll:!0}),before2.current=open3},[open3]);
let set=async next=>make({properties:{[key2]:next}}),setAndClose=async next=>{let isSet=await set(next);return isSet&&setOpen(
null),isSet},choose=next=>{let same=value===null?void 0:converted(value,next);return same!==void 0&&same!==""?set(same):
value===""?setOpen(next):fail(new Error(`“${items[0]?.text??""}” cannot become: ${TYPES[next]}. Change the value first.`))},types=type==="other"?[]:typesFor(key2).filter(one=>one!==type),groups=[...types.length>1?[{items:[type,...types].
map(one=>({text:TYPES[one],checked:one===type,act:()=>choose(one)}))}]:[],{items:[{text:"Rename…",act:()=>setOpen("name")},{text:"Remove",danger:!0,act:()=>remove(key2)}]}],close3=()=>setOpen(null),save2=async written2=>{let to=written2.trim(),
isDone=!to||to===key2||await rename(key2,to);return isDone&&close3(),isDone};return nn`<tr ref=${row}>
    <th scope="row" dir="auto">${open3==="name"?nn`<${Field} label=${`New name of ${key2}`} type="text" text=${key2} save=${save2} cancel=${close3} />`:
nn`<${Menu} label=${`Property ${key2}`} groups=${groups}>${key2}<//>`}</th>
    <td dir="auto">${open3&&open3!=="name"?nn`<${ValueField} label=${key2} type=${open3} value=${open3===type?value:""} set=${set}
            setAndClose=${setAndClose} close=${close3} />`:nn`<${Shown2} property=${property} set=${set} edit=${()=>setOpen(
type)} />`}</td>
  </tr>`}function Shown2({property,set,edit}){let{key:key2,type,value,items}=property;if(type==="other")return nn`<${Values} ...${property} />`;
if(type==="checkbox")return nn`<input type="checkbox" aria-label=${key2} checked=${value} onChange=${()=>set(!value)} />`;
let isPlain=!isList(type)&&items.every(({kind})=>kind==="text"),text=isPlain?items.map(item=>item.text).join():"",label=`Edit ${key2}: ${items.map(item=>item.text).join(", ")||"empty"}`;return nn`${!isPlain&&nn`<${Values} ...${property} />`}
    <button type="button" class="cell" aria-label=${label} title="Edit" onClick=${edit}>${text||(isPlain?nn`<span class="quiet">empty</span>`:
"✎")}</button>`}function ValueField({label,type,value,set,setAndClose,close:close3}){if(isList(type))return nn`<${ListField} label=${label} type=${type} items=${Array.
isArray(value)?value:[]} set=${set}
      close=${close3} />`;let save2=written2=>{let next=valueOf(type,written2);return next===void 0||String(next)===String(
value)?close3():setAndClose(next)},text=type==="datetime"?String(value).replace(" ","T"):String(value);return nn`<${Field} label=${label} type=${FIELDS2[type]} text=${text} save=${save2} cancel=${close3} />`}
function Field({label,type="text",text,save:save2,cancel}){let input=useElement(HTMLInputElement),finished=ft(!1);Nt(()=>{
input.current.focus(),input.current.select()},[]);let finish=async isSaved=>{finished.current||isSaved&&!input.current.reportValidity()||
(finished.current=!0,isSaved?finished.current=await save2(input.current.value)!==!1:cancel())};return nn`<input ref=${input} aria-label=${label} type=${type} step="any" dir="auto" defaultValue=${text}
    autocomplete="off" onKeyDown=${event=>{event.isComposing||event.key!=="Enter"&&event.key!=="Escape"||(event.preventDefault(),
event.stopPropagation(),finish(event.key==="Enter"))}} onBlur=${()=>finish(!0)} />`}function ListField({label,type,items:before2,
set,close:close3}){let[items,setItems]=ot(before2),box=useElement(HTMLDivElement),input=useElement(HTMLInputElement);Nt(
()=>input.current.focus(),[]);let change=async next=>{input.current.focus(),setItems(next),await set(next)||setItems(items)},
add=()=>{let item=itemOf(type,input.current.value);return input.current.value="",item&&!items.includes(item)&&change([...items,
item]),!!item};return nn`<div class="items" ref=${box} onKeyDown=${event=>{if(event.isComposing)return;let isEmpty=event.
target===input.current&&!input.current.value;if(event.key==="Escape")close3();else if(event.key==="Enter"&&event.target===
input.current)add()||close3();else if(event.key==="Backspace"&&isEmpty&&items.length)change(items.slice(0,-1));else return;
event.preventDefault(),event.stopPropagation()}} onFocusOut=${({relatedTarget})=>{!box.current?.isConnected||relatedTarget instanceof
Node&&box.current.contains(relatedTarget)||(add(),close3())}}>
    <ul class="values">
      ${items.map((item,at2)=>nn`<li key=${`${at2} ${item}`} dir="auto">${String(item)}
          <button type="button" aria-label=${`Remove ${item}`} title="Remove"
            onClick=${()=>change(items.filter((_2,other)=>other!==at2))}>×</button></li>`)}
    </ul>
    <input ref=${input} aria-label=${`Add to ${label}`} placeholder="Add…" dir="auto" autocomplete="off" />
  </div>`}function Add({known,make,close:close3}){let[name,setName]=ot(""),[chosen,setType]=ot("text"),[written2,setWritten]=ot(
""),[isTrue,setTrue]=ot(!1),first=useElement(HTMLInputElement);Nt(()=>first.current.focus(),[]);let types=typesFor(name),
type=types.includes(chosen)?chosen:types[0],isTaken=known.includes(name.trim().toLowerCase()),value=type==="checkbox"?isTrue:
valueOf(type,written2);return nn`<form class="new-property" aria-label="New property" onSubmit=${async event=>{event.preventDefault(),
value!==void 0&&!isTaken&&await make({properties:{[name.trim()]:value}})&&close3()}} onKeyDown=${event=>{event.key!=="Escape"||event.isComposing||(event.preventDefault(),event.stopPropagation(),close3())}}>
    <label>Name <input ref=${first} required value=${name} autocomplete="off" dir="auto"
      onInput=${({currentTarget})=>setName(currentTarget.value)}
      /></label>
    <label>Type <select value=${type} disabled=${types.length<2}
      onChange=${({currentTarget})=>setType(currentTarget.value)}>
      ${types.map(one=>nn`<option key=${one} value=${one}>${TYPES[one]}</option>`)}
    </select></label>
    ${type==="checkbox"?nn`<label>Checked <input type="checkbox" checked=${isTrue} onChange=${()=>setTrue(!isTrue)} /></label>`:
nn`<label>Value <input key=${type} type=${FIELDS2[type]??"text"} step="any" dir="auto" value=${written2}
            onInput=${({currentTarget})=>setWritten(currentTarget.value)} /></label>`}
    <button type="submit" class="primary">Add</button>
    <button type="button" onClick=${close3}>Cancel</button>
    ${isTaken&&nn`<p class="notice warn" role="status">The note has this property already.</p>`}
  </form>`}function Values({is_list:areMany,items}){let values=items.map((item,at2)=>nn`<${Value} key=${at2} ...${item} />`);
return areMany?nn`<ul class="values">${values.map((value,at2)=>nn`<li key=${at2} dir="auto">${value}</li>`)}</ul>`:values}
function Value({text,kind,target:target2,subpath}){return kind==="note"?nn`<a href=${linkHash(target2,subpath)}>${text}</a>`:
kind==="missing"?nn`<a class="missing" href=${linkHash(target2)}>${text}</a>`:kind==="gone"?nn`<span class="gone">${text}</span>`:
kind==="tag"?nn`<a class="tag" href=${tagHash(target2)}>${text}</a>`:kind==="address"?nn`<a href=${target2} target="_blank" rel="noopener noreferrer">${text}</a>`:
kind==="file"?nn`<button type="button" class="link" onClick=${()=>openFile(target2)}>${text}</button>`:text}function Conflicts({note,onResolved}){let{conflicts}=note,title=Et();return conflicts.length?nn`<section class="two-versions" aria-labelledby=${title}>
    <h3 id=${title}>Two versions of the same lines <span class="count">${conflicts.length}</span></h3>
    ${conflicts.map((one,number)=>nn`<${Choice2} key=${number} note=${note} number=${number}
        conflict=${one} onResolved=${onResolved} />`)}
  </section>`:null}function Choice2({note:{name,etag},number,conflict:{title,here:here2,other},onResolved}){let group=useElement(
HTMLDivElement),caption=title||"Another version",resolve=useOther=>async()=>{let heading=group.current.closest("article")?.
querySelector("h2"),edited=await api.resolve({name,number,other:useOther,etag}),done=useOther?"has the other version now":
"keeps its version";toast([`${edited.name} ${done}.`,...edited.remarks].join(" ")),isTyping()||heading?.focus({preventScroll:!0}),
onResolved(edited)},keep=useAction(resolve(!1)),use=useAction(resolve(!0)),busy=keep.busy||use.busy;return nn`<div class="version-choice" role="group" aria-label=${`Conflict ${number+1}: ${caption}`} ref=${group}>
    <div class="sides">
      <${Side} title="In this note" text=${here2} />
      <${Side} title=${caption} text=${other} />
    </div>
    ${canWrite(name)&&nn`<div class="toolbar">
        <button type="button" onClick=${keep.act} disabled=${busy}>Keep this</button>
        ${here2!==null&&nn`<button type="button" onClick=${use.act} disabled=${busy}>Use the other</button>`}
      </div>`}
    <${ErrorMessage} error=${keep.error??use.error} />
  </div>`}var Side=({title,text})=>nn`<div>
  <h4>${title}</h4>
  ${text===null?nn`<p class="quiet">It is not certain which lines of this note the other version is about. To use it, edit
        the note.</p>`:nn`<pre class="diff plain" tabindex="0" role="group" aria-label=${title}>${text}</pre>`}
</div>`;var PREFIX2=`zkmem-draft:${FOLDER}:`;function draftOf(name){try{let draft=JSON.parse(sessionStorage.getItem(PREFIX2+name)??
"null");return typeof draft?.text=="string"&&typeof draft.base?.text=="string"?draft:null}catch{return null}}function keepDraft(name,draft){
try{return sessionStorage.setItem(PREFIX2+name,JSON.stringify(draft)),!0}catch{return!1}}function dropDraft(name){try{sessionStorage.
removeItem(PREFIX2+name)}catch{}}var MOST_HEADINGS=200;function Side2(){let note=openNote.value,{view,at:at2}=route.value;return!note||view!=="note"?null:
nn`<div class="beside" key=${note.name}>
    <${Outline} note=${note} />
    ${at2?nn`<${LinkedFrom} note=${note} />`:nn`<${Passages} note=${note} />`}
    <${LinksTo} note=${note} />
    ${at2&&nn`<p class="quiet">The map shows the present, so it is hidden here.</p>`}
  </div>`}function Outline({note:{html:source,headings:whole2}}){let rows=whole2.length?whole2:headings(source);if(rows.
length<2)return null;let top=Math.min(...rows.map(({level})=>level));return nn`<section aria-label="Outline">
    <h3>Outline</h3>
    <ul class="outline">
      ${rows.map(({level,text,subpath},at2)=>nn`<li key=${at2} style=${{"--level":level-top}}>
          <a href=${placeHash(subpath)}>${text}</a></li>`)}
    </ul>
  </section>`}function headings(source){let{body}=new DOMParser().parseFromString(source,"text/html"),own=[...body.querySelectorAll(
"[data-heading]")].filter(one=>!one.closest(OUTSIDE)).slice(0,MOST_HEADINGS),above=[];return own.map(heading=>{let level=Number(
heading.tagName[1]),key2=heading.getAttribute("data-heading")??"";above=[...above.filter(one=>one.level<level),{level,key:key2}];
let text=heading.textContent?.trim()||key2;return{level,text,subpath:above.map(one=>`#${one.key}`).join("")}})}function Passages({
note}){let{data,error,again}=useLoad(()=>api.mentions(note.name),[note.name,note.etag]);useChanges(again);let shown4=new Set(
data?.backlinks.map(({name})=>name)),others3=note.backlinks.filter(name=>!shown4.has(name)),moreCount=note.backlink_count-
note.backlinks.length,linkTo=passage=>canWrite(passage.name)&&nn`<${LinkButton} passage=${passage} to=${note.name} again=${again} />`;
return nn`<section aria-label="Linked from">
      <h3>Linked from <span class="count">${formatNumber(note.backlink_count)}</span></h3>
      ${!note.backlink_count&&nn`<p class="quiet">No note links here yet.</p>`}
      <ul class="passages" onKeyDown=${moveInList}>
        ${data?.backlinks.map(one=>nn`<${Sentence3} key=${one.name} ...${one} />`)}
        ${others3.map(name=>nn`<li key=${name}><a href=${noteHash(name)} data-row>${name}</a></li>`)}
      </ul>
      <${More} count=${moreCount} />
      <${ErrorMessage} error=${error} again=${again} />
    </section>
    ${data&&data.mentions.length>0&&nn`<section aria-label="Unlinked mentions">
        <h3>Unlinked mentions <span class="count">${data.mentions.length}</span></h3>
        <ul class="passages" onKeyDown=${moveInList}>
          ${data.mentions.map(one=>nn`<${Sentence3} key=${one.name} ...${one}>${linkTo(one)}<//>`)}
        </ul>
      </section>`}
    ${data?.remarks.map(remark=>nn`<p class="quiet" key=${remark}>${remark}</p>`)}`}var Sentence3=({name,before:before2,
shown:shown4,after,children})=>nn`<li>
  <a href=${noteHash(name)} data-row>${name}</a>
  <p dir="auto">${before2}<b>${shown4}</b>${after}</p>
  ${children}
</li>`;function LinkButton({passage:{name,shown:shown4,start:start2,etag},to,again}){let{act,busy,error}=useAction(async()=>{
let done=await api.link({name,passage:shown4,start:start2,to,etag});toast([`${done.name} links to ${to} now.`,...done.remarks].
join(" ")),again()});return nn`<button type="button" onClick=${act} disabled=${busy}
    aria-label=${`Link “${shown4}” in ${name}`}>Link</button><${ErrorMessage} error=${error} />`}function LinksTo({note:{
links,link_count:count}}){return nn`<section aria-label="Links to">
    <h3>Links to <span class="count">${formatNumber(count)}</span></h3>
    ${!links.length&&nn`<p class="quiet">No other note.</p>`}
    <ul class="names" onKeyDown=${moveInList}>
      ${links.map(({target:target2,name})=>nn`<${Name2} key=${target2} name=${name??target2} missing=${!name} />`)}
    </ul>
    <${More} count=${count-links.length} />
  </section>`}function LinkedFrom({note:{backlinks,backlink_count:count}}){return nn`<section aria-label="Linked from">
    <h3>Linked from <span class="count">${formatNumber(count)}</span></h3>
    ${!count&&nn`<p class="quiet">No note linked here.</p>`}
    <ul class="names" onKeyDown=${moveInList}>
      ${backlinks.map(name=>nn`<${Name2} key=${name} name=${name} missing=${!1} />`)}
    </ul>
    <${More} count=${count-backlinks.length} />
  </section>`}var More=({count})=>count>0&&nn`<p class="quiet">… and ${formatNumber(count)} more</p>`;function Name2({
name,missing}){return nn`<li class=${missing?"missing":""}>
    <a href=${linkHash(name)} data-row>${name}</a>
    ${missing&&!route.value.at&&nn` <a class="tag" href=${linkHash(name)}>${canWrite(name)?"create":"not written yet"}<span
        class="unseen"> ${name}</span></a>`}
  </li>`}function Rename({name,onClose}){let[typed,setTyped]=ot(name),newName2=typed.trim(),state=usePreview("rename",newName2&&newName2!==
name?{name,new_name:newName2}:null),merges=state.plan?.outcome==="merged",{act,busy,error}=useAction(async()=>{let done=await api.
rename({name,new_name:newName2}),links=done.relinked.length?` Links were updated in ${numberOf(done.relinked.length,"note")}.`:"";toast([`${done.outcome==="merged"?"Merged into":"Now called"} ${done.name}.${links}`,...done.remarks].join(" ")),
onClose(),open2(done.name)}),summary=plan=>merges?`Merging into ${isolated(plan.name)}:`:`Renaming to ${isolated(plan.name)}:`;return nn`<${Dialog} title=${`Rename ${isolated(name)}`} onClose=${onClose} busy=${busy} wide>
    <form onSubmit=${act}>
      <${NameField} label="New name" value=${typed} onInput=${setTyped}
        hint="Without a folder, it stays in the folder of the note. Put a / in front for the root of the vault, or
          give a folder with a / at its end to move the note there." />
      ${merges&&nn`<p class="notice warn" role="status">There is a note ${state.plan?.name}. The two become one note: the
          text of ${name} is added at its end.</p>`}
      <${Preview} state=${state} summary=${summary} />
      <${ErrorMessage} error=${error} />
      <div class="actions">
        <button type="button" onClick=${onClose} disabled=${busy}>Cancel</button>
        <button type="submit" class="primary" disabled=${busy||!state.plan}>${merges?"Merge":"Rename"}</button>
      </div>
    </form>
  <//>`}function Remove({note:{name,etag,backlinks,backlink_count:count},onClose}){let{act,busy,error}=useAction(async()=>{
let done=await api.remove(name,etag),repointed=Object.entries(done.repointed).map(([from,to])=>`A link in ${from} leads to ${to} now.`);toast([`${done.name} is in ${done.trash} now.`,...repointed,...done.remarks].join(" ")),onClose()});return nn`<${Dialog} title=${`Delete ${isolated(name)}?`} onClose=${onClose} busy=${busy}>
    <form onSubmit=${act}>
      <p>The note goes to the trash of the vault; History can restore it.</p>
      ${count?nn`<p class="notice warn">${numberOf(count,"note links","notes link")} to it. The links would lead
            nowhere:</p>
            <ul class="names">${backlinks.map(one=>nn`<li key=${one}>${one}</li>`)}</ul>
            <${More} count=${count-backlinks.length} />`:nn`<p class="quiet">No other note links to it.</p>`}
      <${ErrorMessage} error=${error} />
      <div class="actions">
        <button type="button" data-first onClick=${onClose} disabled=${busy}>Cancel</button>
        <button type="submit" class="danger" disabled=${busy}>Delete</button>
      </div>
    </form>
  <//>`}var PAUSE=200,Session=class{constructor(name,base){let draft=draftOf(name);this.name=name,this.base=draft?.base??base,this.
start=draft?.text??this.base.text,this.restored=!!draft,this.screen={read:()=>this.start,write:()=>{}},this.dirty=K(this.
restored),this.busy=K(!1),this.saveError=K(null),this.unsaveable=K(!1),this.lastSave=K(null),this.remoteChange=K(null),this.
author=K("somebody else"),this.conflict=K(draft?.merge??null),this.merge=null,this.attached=draft?.attached??[],this.waiting=
[],this.storing=K(null),this.timer=0,this.saving=Promise.resolve(!1)}attach(screen){this.screen=screen}read(){return this.
screen.read()}typed(){this.dirty.value=this.read()!==this.base.text,clearTimeout(this.timer),this.timer=setTimeout(()=>this.
keep(),PAUSE)}replaced(){this.typed(),this.keep()}keep(){clearTimeout(this.timer);let{attached}=this,conflict=this.conflict.
value,merge=conflict?{...conflict,text:this.merge??conflict.text}:void 0;if(!this.dirty.value&&!merge)return dropDraft(this.
name);this.unsaveable.value=!keepDraft(this.name,{text:this.read(),base:this.base,merge,attached})}discard(){clearTimeout(
this.timer),dropDraft(this.name),this.dirty.value=!1}async takeBack(){let paths=this.attached;this.dirty.value||!paths.length||
(this.attached=[],await api.detach(paths))}save(){return this.busy.value||(this.saving=this.saveNow()),this.saving}async saveNow(){
le(()=>{this.busy.value=!0,this.saveError.value=this.lastSave.value=null});let sent=this.read();try{return await this.saved(
sent,await api.save(this.name,sent,this.base.etag)),!0}catch(error){return await this.refused(error,sent),!1}finally{this.
busy.value=!1}}async saved(sent,edited){let now2=await api.note(edited.name).catch(()=>null);now2?.etag===edited.etag?await this.
adopt(now2,sent):edited.merged.length||(this.base={text:sent,etag:edited.etag}),this.attached=this.attached.filter(path2=>!sent.
includes(path2.replace(/\.md$/,""))),dropDraft(this.name),this.name=edited.name,le(()=>{this.remoteChange.value=null,this.
lastSave.value=edited}),this.replaced()}async adopt({text,etag},sent){let merged=await this.propose(sent,text).catch(()=>null);
!merged||merged.conflicts.length||(this.base={text,etag},merged.text!==this.read()&&this.screen.write(merged.text))}async propose(base,theirs){
for(;;){let mine=this.read();if(theirs===base)return{text:mine,conflicts:[]};if(mine===base)return{text:theirs,conflicts:[]};
let proposal=await api.merge({base,mine,theirs});if(this.read()===mine)return proposal}}async refused(error,sent){try{if(!(error instanceof
ApiError)||error.status!==412)throw error;await this.compare({...error.data,sent})}catch(failure2){this.saveError.value=
failure2}}async compare({etag,proposal,sent}={}){let theirs=await this.current();if(!theirs)this.base={text:"",etag:null},
this.remoteChange.value="gone";else if(theirs.text===this.read())this.base=theirs,le(()=>{this.remoteChange.value=null,this.
lastSave.value={merged:[],remarks:[],relinked:[],outdated:[]}});else{let fits=etag===theirs.etag&&sent===this.read(),{text,
conflicts}=fits&&proposal||await this.propose(this.base.text,theirs.text);this.merge=null,this.conflict.value={theirs,text,
conflicts}}this.replaced()}async current(){try{let{text,etag}=await api.note(this.name);return{text,etag}}catch(error){if(statusOf(
error)===404)return null;throw error}}merging(text){this.merge=text,this.typed()}async resolve(text){return this.base=this.
conflict.value?.theirs??this.base,le(()=>{this.conflict.value=this.remoteChange.value=null}),this.screen.write(text),this.
replaced(),this.save()}postpone(){this.conflict.value=null,this.remoteChange.value="changed",this.replaced()}async refresh(){
let now2=await this.current();now2&&!this.dirty.value&&this.takeOver(now2),this.remoteChange.value=null}takeOver(now2){this.
base=now2,this.screen.write(now2.text),this.replaced()}async checkForChanges(names){let engaged=()=>this.busy.value||this.
conflict.value;if(names&&!names.includes(this.name)||engaged())return;let now2=await this.current().catch(()=>{});if(!(now2===
void 0||engaged()||now2?.etag===this.base.etag)){if(now2&&authorOf(this.name,now2.text).then(who=>this.author.value=who),
this.dirty.value||!now2){this.remoteChange.value=now2?"changed":"gone";return}this.takeOver(now2),this.remoteChange.value=
"taken over"}}};var BEFORE_BOX=/^[\s>\d.)*+-]*$/;function withBox(text,number,isTicked){let lines=text.split(`
`),line=lines[number]??"",at2=line.indexOf("["),end=line.indexOf("]",at2);return at2>0&&end>at2&&[...line.slice(at2+1,end)].
length===1&&BEFORE_BOX.test(line.slice(0,at2))?(lines[number]=`${line.slice(0,at2)}[${isTicked?"x":" "}]${line.slice(end+
1)}`,lines.join(`
`)):null}var BLOCKS2="p, li, h1, h2, h3, h4, h5, h6, pre, tr, .callout-title",MOST_WORDS2=12,MARGIN=8,panel2=()=>document.getElementById(
"panel"),wordsOf=text=>text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu)??[],blocksOf=page=>[...page.querySelectorAll(".body")].flatMap(body=>[...body.querySelectorAll(BLOCKS2)]).filter(block=>!block.closest(OUTSIDE)&&block.textContent?.trim());
function placeRead(page){let{scrollTop:top}=panel2(),edge=panel2().getBoundingClientRect().top,blocks=blocksOf(page),at2=blocks.
findIndex(block=>block.getBoundingClientRect().bottom>edge+MARGIN);return top===0||at2<0?null:{text:blocks[at2].textContent??
"",share:at2/blocks.length,top}}function showPlace(page,{text,share,top}){if(top!==void 0)return panel2().scrollTo({top,
behavior:"instant"});let blocks=blocksOf(page),block=blocks[nearest(blocks.map(({textContent})=>textContent??""),text,share)];
if(!block)return;let from=block.getBoundingClientRect().top-panel2().getBoundingClientRect().top;return panel2().scrollBy(
{top:from-MARGIN,behavior:"instant"})}var lineOf=(source,{text,share})=>nearest(source.split(`
`),text,share);function placeOfLine(source,line){let lines=source.split(`
`);return{text:lines.slice(line).find(one=>one.trim())??"",share:line/lines.length}}function nearest(texts,text,share){let wanted=wordsOf(
text).slice(0,MOST_WORDS2),expected=share*texts.length,best={at:Math.floor(expected),score:0};for(let[at2,one]of texts.entries()){
let score=inOrder(wanted,one.toLowerCase()),isNearer=Math.abs(at2-expected)<Math.abs(best.at-expected);(score>best.score||
score>0&&score===best.score&&isNearer)&&(best={at:at2,score})}return Math.min(best.at,Math.max(0,texts.length-1))}function inOrder(words,text){
let[count,from]=[0,0];for(let word of words){let at2=text.indexOf(word,from);at2<0||(count+=1,from=at2+word.length)}return count}function useDropped(take){let latest=ft(take);latest.current=take;let isTaker=!!take;Nt(()=>{if(!isTaker)return;let own=files=>latest.
current?.(files);return takeFiles.value=own,()=>{takeFiles.peek()===own&&(takeFiles.value=null)}},[isTaker])}var isOwn2=!1;
addEventListener("dragstart",()=>isOwn2=!0);addEventListener("dragend",()=>isOwn2=!1);var hasFiles=({dataTransfer})=>!!dataTransfer?.
types.includes("Files");addEventListener("dragover",event=>{hasFiles(event)&&event.preventDefault()});addEventListener("drop",event=>{let isInText=event.target instanceof Element&&event.target.closest(".editor .text .cm-content");!hasFiles(
event)||isInText||(event.preventDefault(),event.stopPropagation(),!(isOwn2||document.querySelector("dialog[open]"))&&(takeFiles.
value?takeFiles.value([...event.dataTransfer?.files??[]]):vault.value?.can_write?toast("Open the note that the file belongs to, and drop it there.","error"):toast("You may only read these notes, so no file can be added.","error")))},!0);function Note({name}){let{data:note,error,again}=useLoad(()=>api.note(name,depth.value),[name,depth.value]),[session,setSession]=ot(
()=>draftOf(name)?new Session(name,NEW):null),[notice,setNotice]=ot(""),missing=error?.status===404,known=ft(null),isWriting=ft(
!1),[line,setLine]=ot(0),place2=ft(null);useChanges(again);let mayEdit=canWrite(name)&&!(missing&&isFile(name));ut(()=>{
mayEdit&&loadEditor().catch(()=>{})},[mayEdit]),ut(()=>{let current=!0,say=who=>current&&setNotice(`This note was changed by ${who} just now.`);return known.current&&note&&note.etag!==known.current&&!isWriting.current&&authorOf(note.name,note.
text).then(say),known.current=note?.etag??known.current,()=>{current=!1}},[note?.etag]),ut(()=>{note&&note.name!==name&&
correctAddress(noteHash(note.name,route.peek().subpath))},[note?.name]),ut(()=>(openNote.value=note?.name===name&&!missing?
note:null,()=>{openNote.value=null}),[note,missing]);let[dialog,setDialog]=ot(null),edit=(_2=null,files=[])=>{if(!mayEdit)
return;let page=document.querySelector(".note-page"),next=note&&!missing?new Session(note.name,note):new Session(name,NEW),
from=page&&note&&!missing?placeRead(page):null;place2.current=from&&{...from,etag:null},setLine(from?lineOf(next.start,from):
0),next.waiting=files,setSession(next)},done=(closed2,moved)=>{let now2=moved===null?place2.current:placeOfLine(closed2.
base.text,moved);place2.current=now2&&{...now2,etag:closed2.base.etag},setSession(null),setNotice(""),known.current=closed2.
base.etag,closed2.name!==name?open2(closed2.name):again()},resolved=({etag})=>{known.current=etag,again()};ut(()=>{noteToEdit.
value!==name||!(note||missing)||(noteToEdit.value=null,missing&&edit())},[name,!note,missing]);let isOpen=!!(note?.name===
name||missing);return useDropped(!session&&isOpen&&mayEdit?files=>edit(null,files):null),useKey("e",!session&&(note||missing)?
edit:null),session?nn`<article class="note-page"><${Title} name=${session.name} /><${Editor} session=${session}
      line=${line} onClose=${moved=>done(session,moved)} /></article>`:missing&&!dialog&&isFile(name)?nn`<${File} path=${name} />`:
missing&&!dialog?nn`<${Missing2} name=${name} error=${error} create=${edit}
      again=${again} />`:note?.name!==name?error?nn`<${ErrorMessage} error=${error} again=${again} />`:nn`<${Waiting} />`:
nn`<${Reading} note=${note} error=${error} again=${again} edit=${edit} notice=${notice}
    dialog=${dialog} setDialog=${setDialog} onResolved=${resolved} place=${place2} isWriting=${isWriting} />`}var NEW={text:"",
etag:null};function Reading({note,error,again,edit,notice,dialog,setDialog,onResolved,place:place2,isWriting}){let page=useElement(
HTMLElement),isNewer=ft(!1);Nt(()=>{let wanted=place2.current;wanted&&(showPlace(page.current,wanted),(wanted.etag===note.
etag||isNewer.current)&&(place2.current=null),isNewer.current=!0)},[note.etag]);let close3=()=>setDialog(null),[sought,setSought]=ot(
!1),tick=async({line,isTicked,embed})=>{try{let ticked=embed?await api.note(embed.name):note,content=embed&&embed.etag!==
ticked.etag?null:withBox(ticked.text,line,isTicked);if(content!==null){let saved2=await api.save(ticked.name,content,ticked.
etag);if(!embed)return onResolved(saved2)}}catch(failure2){showError(failure2)}again()},part=offset=>api.part(note.name,
depth.value,offset),mayWrite=canWrite(note.name),onTick=vault.value?.can_write?tick:void 0;useActions([...mayWrite?[{title:"Edit this note",hint:"e",act:edit}]:[],...mayWrite?[{title:"Rename this note…",act:()=>setDialog("rename")}]:[],...mayWrite?
[{title:"Delete this note…",act:()=>setDialog("remove")}]:[],{title:"History of this note",act:()=>go(historyHash(note.
name))},{title:"This note as it was…",act:()=>showAsItWas(note.name).catch(showError)},{title:"Show this note in the map",hint:"g",act:()=>focusInGraph(note.name)}]);let onArrive=found=>setSought(!found);return nn`<article class="note-page" ref=${page}>
    <div class="head">
      <${Title} name=${note.name} focus />
      <${Actions} name=${note.name} edit=${edit} ask=${setDialog} />
    </div>
    <${ErrorMessage} error=${error} again=${again} />
    <p class="news" role="status">${notice}</p>
    ${mayWrite?nn`<${EditableProperties} note=${note} onSaved=${onResolved} again=${again} isWriting=${isWriting} />`:nn`<${Properties} values=${note.
values} />`}
    <${Conflicts} note=${note} onResolved=${onResolved} />
    ${note.characters===0&&nn`<p class="empty">This note is empty.</p>`}
    <${Body} name=${note.name} source=${note.html} onArrive=${onArrive} onTick=${onTick} />
    ${note.next_offset!==null&&nn`<${Rest} key=${`${note.etag} ${depth.value}`} note=${note} load=${part} again=${again} sought=${sought}
        onArrive=${onArrive} onTick=${onTick} />`}
    ${note.left.length>0&&nn`<p class="quiet">One page shows no more. Not expanded: ${numberOf(note.left.length,"link")}.</p>`}
    ${dialog==="rename"&&nn`<${Rename} name=${note.name} onClose=${close3} />`}
    ${dialog==="remove"&&nn`<${Remove} note=${note} onClose=${close3} />`}
  </article>`}function Rest({note,load:load4,again,sought,onArrive,onTick}){let[parts,setParts]=ot([]),{next_offset:offset}=parts.
at(-1)??note,{act,busy,error}=useAction(async()=>{if(offset===null)return;let part=await load4(offset);part.etag===note.
etag?setParts([...parts,part]):again()});return ut(()=>{sought&&!busy&&!error&&act()},[sought,busy,parts.length]),nn`${parts.
map((part,at2)=>nn`<${Body} key=${at2} name=${note.name} source=${part.html} onArrive=${onArrive}
      onTick=${onTick} />`)}
    <${ErrorMessage} error=${error} />
    ${offset!==null&&nn`<button type="button" onClick=${act} disabled=${busy}>Read on</button>`}`}function Title({name,focus=!1}){
let heading=useElement(HTMLHeadingElement);Nt(()=>{focus&&!isTyping()&&heading.current.focus({preventScroll:!0})},[name]);
let{folders,last}=parted(name);return nn`<h2 class="title" tabindex="-1" ref=${heading}>
    ${folders&&nn`<span class="folder">${folders}</span>`}<span class="base">${last}</span>
  </h2>`}function Missing2({name,error,create:create2,again}){let{data:past}=useLoad(()=>pastOf(name),[name]),{edit,now:now2,
rev}=past??{},restore=useAction(async()=>{let done=await api.restore({name,rev:rev??""});toast([`${done.name} is restored.`,...done.remarks].join(" ")),done.name===name?again():open2(done.name)}),mayRestore=canWrite(name)&&rev;return nn`<article class="note-page">
    <${Title} name=${name} focus />
    <p>${edit?"This note is not there any more.":"This note is not written yet."}</p>
    ${now2&&nn`<p>It is called <a href=${noteHash(now2)}>${now2}</a> now.</p>`}
    ${edit&&nn`<p class="quiet">Last edit, by ${clientOf(edit)}: ${edit.title}</p>`}
    ${past!==void 0&&!mayRestore&&!now2&&nn`<p class="quiet"><${Sentence} text=${error.message} names=${namesIn(error)} /></p>`}
    <div class="toolbar">
      ${mayRestore&&nn`<button type="button" class="primary" onClick=${restore.act} disabled=${restore.busy}>Restore</button>`}
      ${canWrite(name)&&nn`<button type="button" class=${mayRestore?"":"primary"} onClick=${create2}>Create this note</button>`}
      ${edit&&nn`<a class="button" href=${historyHash(name)}>History</a>`}
      ${edit&&nn`<${AsItWas} name=${name} />`}
    </div>
    <${ErrorMessage} error=${restore.error} />
  </article>`}function File({path:path2}){let{data,error}=useLoad(()=>api.blob(path2),[path2]);return!data&&!error?nn`<${Waiting} />`:
nn`<article class="note-page">
    <${Title} name=${path2} focus />
    <p>${error?.status===404?"There is no such file in this vault.":error?.message}</p>
    ${data&&nn`<button type="button" class="primary" onClick=${()=>openFile(path2)}>Open the file</button>`}
  </article>`}async function pastOf(name){let edit=await lastEdit(name).catch(()=>null),now2=(edit&&newName(name,edit))??
null,rev=edit&&!now2?await lastTextOf(name,edit).catch(()=>null):null;return{edit,now:now2,rev}}var COUNT=100,TITLES={undo:"Undo the last edit?",redo:"Redo the last undo?"},EVENTS={"session-start":"at the start of a session",compaction:"after a compaction",prompt:"with a prompt","turn-end":"at the end of a turn"};function History({name,
number}){let{data,error,again}=useLoad(()=>number?api.edit(Number(number)):api.log(name,COUNT),[]),[opened,setOpened]=ot(
number);useChanges(again);let edits=data?.edits??[];return nn`<article class="history">
    ${name?nn`<${Title} name=${name} focus />
          ${!isFile(name)&&nn`<p><a href=${noteHash(name)}>Back to the note</a> <${AsItWas} name=${name} /></p>`}`:nn`<h2 class="title" tabindex="-1">${number?
`Edit ${number}`:"History"}</h2>`}
    ${number&&nn`<p><a href="#/history">History of all edits</a></p>`}
    ${!name&&!number&&vault.value?.can_write&&data&&nn`<${Undo} edits=${edits} />`}
    ${!name&&!number&&nn`<${GivenToModels} />`}
    <${ErrorMessage} error=${error} again=${again} />
    ${!data&&!error&&nn`<${Waiting} />`}
    ${data&&!edits.length&&nn`<p class="empty">No edit is known.</p>`}
    <ul class="rows" onKeyDown=${moveInList} aria-label="Edits">
      ${edits.map(edit=>nn`<li key=${edit.rev}>
          <button type="button" class="row" data-row aria-expanded=${opened===edit.rev}
            onClick=${()=>setOpened(opened===edit.rev?null:edit.rev)}>
            <${When} time=${edit.time} /> <span class="what">${edit.title}</span>
            ${tagsOf(edit).map(tag2=>nn` <span class="tag" key=${tag2}>${tag2}</span>`)}
          </button>
          ${opened===edit.rev&&nn`<${Revision} name=${name} edit=${edit} />`}
        </li>`)}
    </ul>
  </article>`}var tagsOf=({client,outside,undone})=>[client&&(isOwn(client)?"you":client),outside&&byOthers(outside),undone&&
"undone"].filter(Boolean);function Undo({edits}){let[action,setAction]=ot(null);return nn`<div class="toolbar" role="toolbar" aria-label="Undo">
      <button type="button" onClick=${()=>setAction("undo")}>Undo the last edit…</button>
      <button type="button" disabled=${!mayRedo(edits)}
        onClick=${()=>setAction("redo")}>Redo…</button>
    </div>
    ${action&&nn`<${UndoDialog} which=${{}} action=${action} title=${TITLES[action]} onClose=${()=>setAction(null)} />`}`}
var mayRedo=edits=>edits.length===COUNT||edits.some(({tool,undone})=>tool==="undo"&&!undone);function GivenToModels(){let[
open3,setOpen]=ot(!1);return nn`<details class="changes" onToggle=${event=>setOpen(event.currentTarget.open)}>
    <summary>What models were given</summary>
    ${open3&&nn`<${Given} />`}
  </details>`}function Given(){let{data,error,again}=useLoad(()=>api.given(),[]);return nn`<${ErrorMessage} error=${error} again=${again} />
    ${!data&&!error&&nn`<${Waiting} />`}
    ${data&&!data.given.length&&nn`<p class="empty">No hook has given a note to a model yet.</p>`}
    <ul class="rows" aria-label="What models were given">
      ${data?.given.map(({time,client,session,event,notes})=>nn`<li>
          <${When} time=${time} /> ${EVENTS[event]} <span class="tag">${client}</span>
          <span class="quiet"> session ${session.slice(0,4)}</span>
          <span class="meta">${notes.length?notes.map((name,at2)=>nn`${at2>0&&", "}<a href=${noteHash(name)}>${name}</a>`):
"no note"}</span>
        </li>`)}
    </ul>`}function Lines2({lines:listed2,again,onSeen,opened,setOpened}){let list2=ft(null),shown4=ft([]),[done,setDone]=ot(new Map),
last=ft(-1),[undoing2,setUndoing]=ot(null),lines=shown4.current=withDone(listed2,shown4.current,done),deal=line=>setDone(
before2=>new Map(before2).set(keyOf(line),line)),tick=async line=>{let viewed=!line.viewed;viewed&&opened.has(keyOf(line))&&
toggle2(line),deal({...line,viewed});try{await api.viewed({lines:[addressOf2(line)],viewed})}catch(error){throw deal(line),
error}again()},toggle2=line=>{let key2=keyOf(line);setOpened(opened.has(key2)?new Set([...opened].filter(one=>one!==key2)):
new Set([...opened,key2]))},rows=()=>[...list2.current?.querySelectorAll("[data-row]")??[]].filter(one=>one instanceof HTMLElement),
place2=()=>rows().findIndex(row=>row.closest(".line")===document.activeElement?.closest(".line")),move=by=>{let from=place2()<
0?last.current:place2(),all=rows();all[Math.max(0,Math.min(all.length-1,from+by))]?.focus()},withCurrent=act=>()=>{let line=lines[place2()];
line&&act(line)},ask2=what=>{let fixed=whyNoUndo(what.line.outside);fixed?toast(fixed):mayUndo(what.line)&&setUndoing(what)};
return useActions([{title:"Review: next note",key:"j",act:()=>move(1)},{title:"Review: note before",key:"k",act:()=>move(
-1)},{title:"Review: mark this note as viewed",key:"x",act:withCurrent(line=>{tick(line).catch(showError),line.viewed||move(
1)})},{title:"Review: undo what was done to this note…",key:"u",act:withCurrent(line=>ask2({line}))},{title:"Review: mark all as seen",key:"s",act:onSeen}]),nn`<ul class="lines" ref=${list2} aria-label="What happened to each note" onKeyDown=${moveInList}
      onFocusIn=${()=>last.current=place2()}>
      ${lines.map(line=>nn`<${Boundary} key=${keyOf(line)}><${Row2} line=${line} isOpen=${opened.has(keyOf(line))}
          onToggle=${()=>toggle2(line)} onTick=${()=>tick(line).catch(showError)}
          onUndo=${passage=>ask2({line,passage})} /></${Boundary}>`)}
    </ul>
    ${undoing2&&nn`<${UndoDialog} which=${{...addressOf2(undoing2.line),passage:undoing2.passage}} title=${titleOf2(undoing2)}
        onDone=${()=>undoing2.passage===void 0&&deal({...undoing2.line,undone:!0,viewed:!0})}
        onClose=${()=>setUndoing(null)} />`}`}var mayUndo=({undone,outside})=>vault.value?.can_write&&!undone&&!whyNoUndo(
outside),addressOf2=({note,edit,first})=>({note,edit,first}),titleOf2=({passage})=>passage===void 0?"Undo what was done to this note?":"Undo this passage?",MOST_NUMBERS=10;function Row2({line,isOpen,onToggle,onTick,onUndo}){let{note,kind,words,
added,removed,client,version,outside,began,ended,viewed,undone}=line,item=useElement(HTMLLIElement);return ut(()=>{isOpen&&
item.current.contains(document.activeElement)&&item.current.scrollIntoView({block:"nearest"})},[isOpen]),nn`<li ref=${item} class=${`line ${viewed?"viewed":""}`} style=${{"--hue":hueOf(client||outside)}}>
    <div class="line-head">
      <label title="Viewed (x)"><input type="checkbox" checked=${viewed} onChange=${onTick}
        aria-label=${`Viewed: ${isolated(note)}`} /></label>
      <button type="button" class="line-row" data-row aria-expanded=${isOpen} onClick=${onToggle}>
        <i class="dot" aria-hidden="true"></i><span class="line-note">${note}</span>
        <span class=${isDestroying(kind)?"line-words destroyed":"line-words"}>${directionless(words)}${undone&&nn` <span class="tag">undone</span>`}</span>
        <${Size} added=${added} removed=${removed} />
        <span class="line-who" title=${[nameOf(line),version].filter(Boolean).join(" ")}>${nameOf(line)}</span>
        <${When} time=${ended} since=${began} />
      </button>
    </div>
    ${isOpen&&nn`<${Opened} line=${line} onUndo=${onUndo} />`}
  </li>`}function Opened({line,onUndo}){let{note,kind,edit,first,edits,outside,version,is_note:isNote}=line,may=mayUndo(
line),fixed=whyNoUndo(outside),numbers=edits.slice(0,MOST_NUMBERS);return nn`<div class="line-open">
    <div class="toolbar">
      ${isNote&&(kind==="deleted"?nn`<${AsItWas} name=${note} />`:nn`<a class="button" href=${noteHash(note)}>Open the note</a>`)}
      ${!isNote&&kind!=="deleted"&&nn`<button type="button" onClick=${()=>openFile(note)}>Open the file</button>`}
      ${may&&nn`<button type="button" class="danger" onClick=${()=>onUndo()}>Undo…</button>`}
      <span class="quiet">${outside?"Changes":"Edits"}${numbers.map(number=>nn` <a href=${editHash(String(number))} key=${number}>${number}</a>`)}${edits.
length>numbers.length&&` and ${edits.length-numbers.length} more`}: <span
        title=${version}>${nameOf(line)}</span></span>
      ${fixed&&nn`<span class="quiet">${fixed}</span>`}
    </div>
    <${ChangedNotes} load=${()=>api.change(addressOf2(line))} keys=${[note,edit,first]} isBare
      onUndo=${may&&kind!=="deleted"?onUndo:void 0} />
  </div>`}var PART=50,MOST7=200,COUNT2=20;function Review({query:query2}){return nn`<article class="home review" aria-label="Review">
    ${proposed.value.length>0&&nn`<section aria-label="Proposed edits"><h2 class="title">Proposed edits</h2><${Proposed} /></section>`}
    <h2 class="unseen" tabindex="-1">Review</h2>
    <${News} filter=${filterOf(query2)} />
    ${!query2&&nn`<${Sittings} />`}
    <p class="quiet"><a href="#/history">History of all edits</a></p>
  </article>`}function News({filter={},few,isQuiet=!1}){let[parts,setParts]=ot(1),[opened,setOpened]=ot(new Set),head=ft(
null),key2=JSON.stringify(filter),{data:brief,error,again}=useLoad(()=>loadParts(filter,few??PART,few?1:parts),[key2,parts]);
useChanges(again),ut(()=>{brief&&!filter.sitting&&(unseen.value=brief.edits)},[brief]);let seen=useAction(async()=>{brief?.
lines.length&&(await markSeen(brief,filter),toast(`Marked as seen: ${numberOf(brief.total,"note")}.`),head.current?.focus(),
again())});if(!brief)return error?nn`<${ErrorMessage} error=${error} again=${again} />`:nn`<${Waiting} />`;if(isQuiet&&!brief.
edits)return null;let{lines,total,next}=brief,isOpen=lines.length>0&&lines.every(line=>opened.has(keyOf(line)));return nn`<section class="news-section" aria-label="What happened">
    <header class="brief">
      <p class="sentence" ref=${head} tabindex="-1"><${Sentence4} brief=${brief} filter=${filter} /></p>
      ${lines.length>0&&nn`<div class="toolbar" role="toolbar" aria-label="All of it">
          ${lines.some(line=>!line.seen&&!line.own&&!line.undone)&&nn`<button type="button" class="primary" aria-keyshortcuts="s" title="Mark as seen (s)"
              onClick=${seen.act} disabled=${seen.busy}>${Object.keys(filter).length?"Mark these as seen":"Mark all as seen"}</button>`}
          <button type="button" aria-expanded=${isOpen}
            onClick=${()=>setOpened(new Set(isOpen?[]:lines.map(keyOf)))}>${isOpen?"Close all":"Open all"}</button>
          ${filter.sitting&&nn`<${UndoAll} brief=${brief} />`}
          ${!few&&nn`<${Clients} brief=${brief} filter=${filter} /><${Folders2} brief=${brief} filter=${filter} />`}
        </div>`}
      <${ErrorMessage} error=${seen.error??error} />
    </header>
    <${Lines2} key=${key2} lines=${lines} again=${again} onSeen=${seen.act} opened=${opened} setOpened=${setOpened} />
    ${few?next&&nn`<p><a href=${reviewHash()}>All ${numberOf(total,"note")}</a></p>`:next&&nn`<button type="button" onClick=${()=>setParts(
parts+1)}>Show ${numberOf(Math.min(PART,total-lines.length),"more note")}</button>`}
  </section>`}async function loadParts(filter,size,parts){let whole2=await api.brief(filter,0,size);for(let part=1;part<
parts&&whole2.next;part+=1){let{lines,next}=await api.brief(filter,whole2.next,size);whole2.lines.push(...lines),whole2.
next=next}return whole2}async function markSeen({last},{sitting,...filter}){if(!Object.keys(filter).length)return api.markSeen(
sitting?{edit:Number(sitting)}:{edit:last,earlier:!0});let lines=[];for(let from=0;from!==null;){let part=await api.brief(
{sitting,...filter},from,MOST7);lines.push(...part.lines.filter(({edit})=>edit<=last)),from=part.next}for(;lines.length;)
await api.viewed({lines:lines.splice(0,MOST7).map(addressOf2),viewed:!0})}function Sentence4({brief,filter}){let{kind,...rest}=filter;
return!brief.edits&&!filter.sitting?"Nothing new since you last looked.":nn`${leadOf(brief,now.value/1e3)}: ${brief.counts.
map((count,at2)=>nn`${at2>0&&" "}<span><a href=${reviewHash({...rest,kind:count.kind})}
      aria-current=${kind===count.kind?"true":void 0}
      class=${isDestroying(count.kind)?"destroyed":""}>${countText(count,at2===0)}</a>${at2<brief.counts.length-1?",":"."}</span>`)}${brief.
unread>0&&` Not compared, so perhaps overwritten: ${numberOf(brief.unread,"note")}.`}${" "}${Object.keys(filter).length>
0&&nn`<a href=${reviewHash()}>Show everything new</a>`}`}function Clients({brief:{clients},filter}){return clients.length<
2?null:clients.map(({client,outside,version,notes})=>{let value=client||outside;return nn`<a class="button" key=${value} href=${reviewHash(
{...filter,client:value})} title=${version}
      aria-current=${filter.client===value?"true":void 0} style=${{"--hue":hueOf(value)}}><i class="dot"
      aria-hidden="true"></i>${nameOf({client,outside})} <span class="count">${notes}</span></a>`})}function Folders2({brief:{
folders},filter}){return folders.length<2?null:foldersToChoose(folders,filter).map(({folder:folder2,notes})=>nn`<a class="button" key=${folder2} href=${reviewHash(
{...filter,folder:folder2})}
      aria-current=${filter.folder===folder2?"true":void 0}>${folder2}/ <span class="count">${notes}</span></a>`)}function UndoAll({
brief}){let[asking,setAsking]=ot(!1),{lines,clients,edits}=brief,outside=clients[0]?.outside??"",fixed=whyNoUndo(outside);
if(!vault.value?.can_write||lines.every(({undone})=>undone))return null;if(fixed)return nn`<span class="quiet">${fixed}</span>`;
let about3=`${numberOf(edits,outside?"change":"edit")} by ${nameOf(lines[0])}`;return nn`<button type="button" class="danger" onClick=${()=>setAsking(
!0)}>Undo all of this…</button>
    ${asking&&nn`<${UndoDialog} which=${{edit:lines[0].sitting,sitting:!0}} about=${about3} title="Undo all of this?"
        onClose=${()=>setAsking(!1)} />`}`}function Sittings(){let[pages,setPages]=ot(1),{data,error,again}=useLoad(()=>loadPages(
pages),[pages]);useChanges(again);let details=useElement(HTMLDetailsElement);ut(()=>{unseen.value===0&&(details.current.
open=!0)},[unseen.value]);let sittings=data?.sittings??[];return nn`<details class="sittings-section" ref=${details}>
    <summary>All sittings</summary>
    <${ErrorMessage} error=${error} again=${again} />
    ${!data&&!error&&nn`<${Waiting} />`}
    ${data&&!sittings.length&&nn`<p class="empty">No tool has edited this vault yet. From the first edit by a tool on, changes by hand
        are listed, too.</p>`}
    <ul class="sittings" aria-label="All sittings">
      ${sittings.map(one=>nn`<${SittingRow} key=${one.edit} sitting=${one} />`)}
    </ul>
    ${data?.next&&nn`<button type="button" onClick=${()=>setPages(pages+1)}>Show older ones</button>`}
  </details>`}async function loadPages(pages){let whole2=await api.review(null,COUNT2);for(let page=1;page<pages&&whole2.
next;page+=1){let{sittings,next}=await api.review(whole2.next,COUNT2);whole2.sittings.push(...sittings),whole2.next=next}
return whole2}function SittingRow({sitting}){let{edit,client,version,outside,edits,counts,more,began,ended,undone,edits_undone:some}=sitting,
what=outside?"change":"edit",texts=counts.map((count,at2)=>countText(count,at2===0));return more&&texts.push(numberOf(more,
"more note")),nn`<li style=${{"--hue":hueOf(client||outside)}}>
    <a href=${reviewHash({sitting:String(edit)})}>
      <i class="dot" aria-hidden="true"></i><strong title=${version}>${nameOf(sitting)}</strong>:${" "}
      ${[numberOf(edits,what),...texts].join(", ")}
      ${undone&&nn` <span class="tag">undone</span>`}
      ${!undone&&some>0&&nn` <span class="tag">${numberOf(some,what)} undone</span>`}
      ${sitting.synchronised&&nn` <span class="tag">from another machine</span>`}
      <span class="meta"><${When} time=${ended} since=${began} /></span>
    </a>
  </li>`}var COUNT3=8,LINES=8,FEW3=3;function Home(){let{data,error,again}=useLoad(()=>api.home(COUNT3),[]);useChanges(again);let isNew=data!==
void 0&&data.recent.length<FEW3;return nn`<article class="home">
    <h2 class="title" tabindex="-1">${isNew?"Welcome":vault.value?.name??""}</h2>
    ${isNew&&nn`<${Welcome} />`}
    <${ErrorMessage} error=${error} again=${again} />
    ${proposed.value.map(set=>nn`<${Waits} key=${set.client} set=${set} />`)}
    <${News} few=${LINES} isQuiet=${isNew} />
    ${!data&&!error&&nn`<${Waiting} />`}
    ${pinned.value.length>0&&nn`<${Section} title="Pinned">
        <ul class="pins" onKeyDown=${moveInList}>
          ${pinned.value.map(name=>nn`<li key=${name}><a href=${noteHash(name)} data-row>${name}</a></li>`)}
        </ul>
      <//>`}
    ${data!==void 0&&data.hints.length>0&&nn`<${Section} title="Where to start" more=${{href:"#/list/hints",text:"All"}}>
      <${Openings} label="Where to start" notes=${data.hints} />
    <//>`}
    ${data!==void 0&&data.recent.length>0&&nn`<${Section} title="Recently changed">
      <${Openings} label="Recently changed" notes=${data.recent} dated />
    <//>`}
    ${vault.value?.can_write&&!isNew&&nn`<p><button type="button" onClick=${()=>creating.value=""}>New note…</button></p>`}
  </article>`}var Waits=({set})=>nn`<p class="notice" style=${{"--hue":hueOf(set.name)}}>
  <i class="dot" aria-hidden="true"></i>${set.name} proposes ${numberOf(set.total,"edit")}.${" "}
  <a href="#/review">Look at them</a></p>`,Section=({title,more,children})=>nn`<section aria-label=${title}>
  <h3>${title} ${more&&nn`<a href=${more.href}>${more.text}</a>`}</h3>
  ${children}
</section>`,Openings=({label,notes,dated=!1})=>nn`<ul class="openings" aria-label=${label}
  onKeyDown=${moveInList}>
  ${notes.map(({name,line,changed:changed2})=>{let{folders,last}=parted(name);return nn`<li key=${name}>
      <a href=${noteHash(name)} data-row><small>${folders}</small>${last}</a>
      ${dated&&nn`<span class="meta"><${When} time=${changed2} /></span>`}
      <p dir="auto">${line}</p>
    </li>`})}
</ul>`;function Welcome(){let{name,token:token2,person,vaults=[]}=vault.value??{},header=token2&&!person?' --header "Authorization: Bearer TOKEN"':"",line=`claude mcp add --transport http ${vaults.length>1?`zkmem-${name}`:"zkmem"} ${new URL(
"mcp",location.href)}${header}`;return nn`<ol class="steps">
    <li>
      <h3>Add a client</h3>
      <p>What your model writes then appears here at once. For Claude Code:</p>
      <p class="line"><code>${line}</code><button type="button" onClick=${()=>navigator.clipboard.writeText(line).then(()=>toast(
"Copied."),error=>showError(error))}>Copy</button></p>
      ${header&&nn`<p class="quiet">TOKEN stands for a token of this vault; <code>zkmem token add NAME</code> makes
        one.</p>`}
      <p class="quiet">On the machine of the vault, <code>zkmem install CLIENT --vault FOLDER</code> adds
        other clients; <code>zkmem install --list</code> names them. FOLDER is the folder of this vault.</p>
    </li>
    ${vault.value?.can_write&&nn`<li>
        <h3>Write a note</h3>
        <p>Each note is a Markdown file in the vault's folder. The note <code>hint</code> is where readers start.</p>
        <p><button type="button"
          class="primary" onClick=${()=>creating.value=firstName()}>Create a note…</button></p>
      </li>`}
    <li>
      <h3>Or look around first</h3>
      <p>A clone of zkmem has a sample of 44 notes, which a second server shows on a port of its own:${" "}
        <code>zkmem serve sample_vault --mode http --port 0</code></p>
    </li>
  </ol>`}var firstName=()=>`${vault.value?.folder?`${vault.value.folder}/`:""}hint`;var STEP2=50,MOST8=1e3,grown={query:"",count:STEP2};function SearchResults({query:query2}){let[count,setCount]=ot(grown.
query===query2?grown.count:STEP2),input=useElement(HTMLInputElement),{data,error,again}=useLoad(signal=>find(query2,signal,
count),[query2,count]);useChanges(again),ut(()=>{query2||input.current.focus()},[]);let more=()=>{grown={query:query2,count:Math.
min(MOST8,count+STEP2)},setCount(grown.count)},submit=event=>{event.preventDefault(),input.current.value.trim()&&go(searchHash(
input.current.value.trim()))},texts=data?.hits.length??0,found=data&&query2&&(data.names.length||texts)?numberOf(data.names.
length+texts,"note"):"";return nn`<article class="lists results">
    <h2 class="title" tabindex="-1">Search ${found&&nn`<span class="count">${found}</span>`}</h2>
    <form role="search" aria-label="All results" onSubmit=${submit}>
      <input ref=${input} type="search" aria-label="Words and filters" value=${query2} autocomplete="off"
        maxlength="1000" spellcheck=${!1} /><button type="submit" class="primary">Search</button>
    </form>
    <${ErrorMessage} error=${error} again=${again} />
    ${query2&&!data&&!error&&nn`<${Waiting} />`}
    <div role="status">
      ${data?.remarks.map(one=>nn`<p class="quiet" key=${one}><${Sentence} text=${one} /></p>`)}
    </div>
    <${Hits} title="Names" hits=${data?.names.map(name=>({name}))??[]} />
    <${Hits} title="Text" hits=${data?.hits??[]} />
    ${data&&data.isFull&&count<MOST8&&nn`<button type="button" onClick=${more}>Show more</button>`}
    <${Hits} title="Linked from these" hits=${data?.linked.map(name=>({name}))??[]} />
  </article>`}function Hits({title,hits}){return hits.length?nn`<section aria-label=${title}>
    <h3>${title}</h3>
    <ul class="rows" onKeyDown=${moveInList} aria-label=${title}>
      ${hits.map(hit=>{let{folders,last}=parted(hit.name);return nn`<li key=${hit.name}>
          <a href=${noteHash(hit.name)} data-row>${folders&&nn`<small>${folders}</small>`}${last}</a>
          <${HitDate} ...${hit} /><${Passage} ...${hit} />
        </li>`})}
    </ul>
  </section>`:null}var KEY3="zkmem:view",saved=JSON.parse(localStorage.getItem(KEY3)??"{}");colourBy.value=saved.colourBy??null;labels.value=
saved.labels??labels.peek();showMissing.value=saved.showMissing??showMissing.peek();A(()=>{let choices={colourBy:colourBy.
value,labels:labels.value,showMissing:showMissing.value};localStorage.setItem(KEY3,JSON.stringify(choices))});var reduced=matchMedia(
"(prefers-reduced-motion: reduce)"),still=()=>reduced.matches,narrow2=matchMedia("(max-width: 719px)"),inOneColumn=()=>narrow2.
matches,coarse=matchMedia("(pointer: coarse)"),byFinger=()=>coarse.matches;function repaint(renderer,partialGraph,anew=!1){
let skipIndexation=!anew&&!renderer.needToProcess;renderer.refresh({partialGraph,skipIndexation,schedule:!0})}var STEP_MS=1200,MOST_MARKS=250;function Slider({moments,at:at2,time,isShown,onPick}){let slider=useElement(HTMLInputElement);
ut(()=>{sliderWanted.value&&slider.current.focus({preventScroll:!0}),sliderWanted.value=!1},[moments]);let place2=placeOf2(
moments,at2,time),{time:when,side,what}=moments[place2],[isPlaying,setPlaying]=ot(!1),last=moments.length-1,onInput=()=>{
setPlaying(!1),onPick(moments[Number(slider.current.value)].at)},play=()=>{!isPlaying&&place2===last&&onPick(moments[0].
at),setPlaying(!isPlaying)};ut(()=>{if(!isPlaying||!isShown)return;if(place2===last)return setPlaying(!1);let timer=setTimeout(
()=>onPick(moments[place2+1].at),STEP_MS);return()=>clearTimeout(timer)},[isPlaying,isShown,place2]);let onKeyDown=event=>{
event.key!==" "||still()||(event.preventDefault(),play())};return nn`<div class="moments">
    ${!still()&&nn`<button type="button" class="plain" aria-keyshortcuts="Space" title="Space, on the slider"
        onClick=${play} disabled=${moments.length<2}>${isPlaying?"Pause":"Play"}</button>`}
    <div>
    <input type="range" ref=${slider} min="0" max=${moments.length-1} value=${place2} disabled=${moments.length<2}
      aria-label="Moment" aria-valuetext=${`${timeText(when)}, ${side} ${what}`} onInput=${onInput}
      onKeyDown=${onKeyDown} />
    <${Marks} moments=${moments} />
    <${Ends} first=${moments[0].time} last=${moments[moments.length-1].time} />
    </div>
  </div>`}function Ends({first,last}){let text=dayText(first)===dayText(last)?timeText:dayText;return nn`<p class="quiet" aria-hidden="true"><span>${text(
first)}</span><span>${text(last)}</span></p>`}function placeOf2(moments,at2,time){let exact=moments.findIndex(one=>one.at===
at2);return exact<0?Math.max(0,moments.findLastIndex(one=>one.time<=time)):exact}function Marks({moments}){let days2=moments.
map(({time})=>new Date(time*1e3).toDateString()),line=(place2,height)=>`M${place2} 0v${height}`,first=days2.map((day,place2)=>day===
days2[place2-1]?"":line(place2,2)).join(""),all=moments.length>MOST_MARKS?"":moments.map((_2,place2)=>line(place2,1)).join(
"");return nn`<svg viewBox=${`0 0 ${Math.max(1,moments.length-1)} 2`} preserveAspectRatio="none" aria-hidden="true">
    <path d=${first+all} /></svg>`}var QUIET_MS=120;function MomentStrip({name,now:now2,at:at2,note}){let[isWide,setWide]=ot(!1),[count,setCount]=ot(FEW),{
data,error,again}=useLoad(()=>momentsOf(isWide?null:name,count),[name,isWide,count]),[picked,pick]=usePicked(at2);useChanges(
names=>(isWide||!names||names.includes(name))&&again());let{moments=[],isWhole=!0}=data??{},chosen=picked||at2,fromNote=note?.
earlier&&!picked?momentOf(note.earlier):null,moment=moments.find(one=>one.at===chosen)??fromNote,onKeyDown=event=>{event.
key==="Escape"&&(event.preventDefault(),go(noteHash(now2)))},onWide=()=>{sliderWanted.value=!0,setWide(!isWide)};return nn`<section class="moment-strip" aria-label="As it was" onKeyDown=${onKeyDown}>
      <div class="moment">
        <p>${moment?nn`<${Sentence5} ...${moment} />`:nn`As it was at <q>${chosen}</q>`}</p>
        <a class="button" href=${noteHash(now2)}>Now</a>
      </div>
    <${ErrorMessage} error=${error} again=${again} />
    ${moments.length>0&&(moment||note===null)&&nn`<${Slider} moments=${moments} at=${chosen} time=${moment?.time??0}
        isShown=${note!==void 0&&!picked} onPick=${pick} />`}
    </section>
    <div class="toolbar moment-actions" role="toolbar" aria-label="This moment">
      ${note&&nn`<${Restore} name=${now2} rev=${note.earlier?.rev||"0"} text="Restore this text…" />`}
      <label class="check"><input type="checkbox" checked=${isWide} onChange=${onWide} />
        Changes of other notes, too</label>
      <${Known} count=${moments.length} isWhole=${isWhole} more=${count<MOST5?()=>setCount(count+FEW):null} />
    </div>`}var Sentence5=({time,side,what,edit})=>nn`As it was on <strong>${timeText(time)}</strong>, ${side}${" "}
    ${edit?nn`<a href=${editHash(edit)}>${what}</a>`:what}`;function Known({count,isWhole,more}){return isWhole?nn`<span class="quiet">${count?
numberOf(count,"moment"):"No moment is known."}</span>`:nn`<span class="quiet">The last ${formatNumber(count)} moments</span>
    ${more&&nn`<button type="button" class="plain" onClick=${more}>Show older ones</button>`}`}function usePicked(at2){let[
picked,setPicked]=ot("");return ut(()=>setPicked(""),[at2]),ut(()=>{if(!picked||picked===at2)return;let{name,subpath,named:named3}=route.
peek(),to=noteHash(name??"",subpath,{at:picked,named:named3}),timer=setTimeout(()=>correctAddress(to),QUIET_MS);return()=>clearTimeout(
timer)},[picked]),[picked,setPicked]}function NoteThen({name,at:at2,named:named3}){let[first]=ot(()=>noteNow(name)),wanted={name,at:at2,named:named3},{data,error,
again}=useLoad(async signal=>renamed(data,wanted)??await load3(wanted,signal),[name,at2,named3,depth.value],first),shown4=error?
void 0:data,isThere=!!(shown4&&isSame(shown4.wanted,wanted)),now2=isThere&&shown4?.note.earlier?.now||name;ut(()=>{let present=isThere&&
shown4?.note.earlier?.now;present&&(named3||present!==name)&&correctAddress(noteHash(present,route.peek().subpath,{at:at2}))},
[shown4]),ut(()=>(openNote.value=shown4?.note??null,()=>{openNote.value=null}),[shown4]);let toNow=()=>go(noteHash(now2));
return useActions([{title:"This note as it is now",hint:"Esc",act:toNow},{title:"History of this note",act:()=>go(historyHash(
now2))}]),useKey("Escape",toNow),nn`<div class="then">
    <${MomentStrip} name=${name} now=${now2} at=${at2} note=${error?null:isThere?shown4?.note:void 0} />
    <article class="note-page" aria-busy=${!error&&!isThere}>
      <div class="head">
        <${Title} name=${shown4?.note.name??name} focus />
        <${ActionsThen} name=${now2} />
      </div>
      ${isThere&&now2!==shown4?.note.name&&nn`<p class="quiet">Now called <a href=${noteHash(now2)}>${now2}</a>.</p>`}
      <${ErrorMessage} error=${error} again=${mayPass(error)?again:void 0} />
      ${!shown4&&!error&&nn`<${Waiting} />`}
      ${shown4&&nn`<${Text} ...${shown4} again=${again} />`}
    </article>
  </div>`}var mayPass=error=>!error?.status||error.status>=500;async function load3(wanted,signal){let level=depth.peek();
return{note:await api.note(wanted.name,level,wanted,signal),wanted,level}}function noteNow(name){let note=openNote.peek();
return note?.name===name?{note,wanted:{name,at:"",named:""},level:depth.peek()}:void 0}function renamed(loaded3,wanted){
return loaded3?.level===depth.peek()&&loaded3.wanted.at===wanted.at&&loaded3.note.earlier?.now===wanted.name&&!wanted.named?
{...loaded3,wanted}:null}var isSame=(one,other)=>one.name===other.name&&one.at===other.at&&one.named===other.named;function Text({
note,wanted,level,again}){let[sought,setSought]=ot(!1),onArrive=found=>setSought(!found),part=offset=>api.part(wanted.name,
level,offset,wanted);return nn`<${Properties} values=${note.values} />
    ${note.earlier?.remarks.map(remark=>nn`<p class="quiet" key=${remark}>${remark}</p>`)}
    ${note.characters===0&&nn`<p class="empty">This note was empty.</p>`}
    <${Body} name=${wanted.name} source=${note.html} onArrive=${onArrive} />
    ${note.next_offset!==null&&nn`<${Rest} key=${JSON.stringify([wanted,level])} note=${note} load=${part} again=${again} sought=${sought}
        onArrive=${onArrive} />`}
    ${note.left.length>0&&nn`<p class="quiet">One page shows no more. Not expanded: ${numberOf(note.left.length,"link")}.</p>`}`}var PAGE2=200;function Base({base,view}){let[sort,setSort]=ot(""),[count,setCount]=ot(PAGE2),{data:bases}=useLoad(api.bases,
[base]),{data,error,again}=useLoad(()=>api.table({base,view,sort,count}),[base,view,sort,count]);useChanges(again);let views2=bases?.
bases.find(({path:path2})=>path2===base)?.views??[];return nn`<article class="base">
    <h2 class="title" tabindex="-1">
      ${base}
      ${data&&nn`<span class="count" title=${numberOf(data.total,"note")}>${formatNumber(data.total)}</span>`}
    </h2>
    ${views2.length>1&&nn`<label class="quiet"
        >View
        <select
          value=${view||views2[0]}
          onChange=${({currentTarget})=>go(baseHash(base,currentTarget.value))}
        >
          ${views2.map(one=>nn`<option key=${one} selected=${one===(view||views2[0])}>${one}</option>`)}
        </select></label
      >`}
    <${ErrorMessage} error=${error} again=${again} />
    ${!data&&!error&&nn`<${Waiting} />`}
    ${data?.remarks.map(remark=>nn`<p class="quiet" key=${remark}>${remark}</p>`)}
    ${data&&nn`<${Table2} table=${data} name=${view||base} sort=${sort} setSort=${setSort} again=${again} />`}
    ${data?.next&&nn`<button
        type="button"
        onClick=${()=>setCount(count+PAGE2)}
        disabled=${count>=1e3}
      >
        More
      </button>`}
  </article>`}function Table2({table:{title:first,columns,rows,groups,summaries},name,sort,setSort,again}){let sizes=new Map(
groups.map(({value,size})=>[value,size])),header=(key2,title)=>{let order2=sort===key2?"ascending":sort===`-${key2}`?"descending":void 0,next={ascending:`-${key2}`,descending:"",none:key2}[order2??"none"];return nn`<th key=${key2} scope="col" aria-sort=${order2}>
      <button type="button" onClick=${()=>setSort(next)}>${title}</button>
    </th>`},summary=key2=>{let found=summaries.find(({column})=>column===key2);return found&&`${found.name}: ${found.value}`};
return nn`<div
    class="scrolled"
    tabindex="0"
    role="region"
    aria-label=${`Table ${name}`}
  >
    <table>
      <thead>
        <tr>
          ${header("file.name",first==="note"?"Note":first)}
          ${columns.map(({key:key2,title})=>header(key2,title))}
        </tr>
      </thead>
      <tbody>
        ${rows.map((row,at2)=>nn` ${groups.length>0&&row.group!==rows[at2-1]?.group&&nn`<tr key=${`group ${row.group}`}>
                  <th
                    class="group"
                    scope="rowgroup"
                    colspan=${columns.length+1}
                  >
                    ${row.group||"empty"}
                    <span class="count">${sizes.get(row.group)}</span>
                  </th>
                </tr>`}
              <tr key=${row.note}>
                <th scope="row">
                  <a href=${noteHash(row.note)}>${row.note}</a>
                </th>
                ${row.cells.map((cell,number)=>nn`<td key=${columns[number].key}>
                      <${Value2}
                        column=${columns[number]}
                        cell=${cell}
                        note=${row.note}
                        again=${again}
                      />
                    </td>`)}
              </tr>`)}
      </tbody>
      ${summaries.length>0&&nn`<tfoot>
          <tr>
            <th scope="row">${summary("file.name")}</th>
            ${columns.map(({key:key2})=>nn`<td key=${key2}>${summary(key2)}</td>`)}
          </tr>
        </tfoot>`}
    </table>
  </div>`}function Value2({column:{key:key2,title,editable},cell:{text,type},note,again}){let[editing,setEditing]=ot(!1),
label=`${title} of ${note}`;if(!editable||!canWrite(note)||!EDITABLE.has(type))return shown2(text);let save2=written2=>{
if(setEditing(!1),written2===text)return;let value=valueOf2(written2,type);api.setProperties({names:[note],properties:{[key2.
replace(/^note\./,"")]:value}}).then(again,showError)};return type==="boolean"?nn`<input
      type="checkbox"
      aria-label=${label}
      checked=${text==="true"}
      onChange=${()=>save2(text==="true"?"false":"true")}
    />`:editing?nn`<${Field}
      label=${label}
      text=${text}
      save=${save2}
      cancel=${()=>setEditing(!1)}
    />`:nn`${LINK.test(text)&&shown2(text)}
    <button
      type="button"
      class="cell"
      aria-label=${`Edit ${label}: ${text||"empty"}`}
      onClick=${()=>setEditing(!0)}
    >
      ${LINK.test(text)?"✎":text||"–"}
    </button>`}var EDITABLE=new Set(["string","number","boolean","date","list","link","null"]),LINK=/^\[\[([^[\]|]+)(?:\|([^[\]]*))?\]\]$/;
function shown2(text){let match=LINK.exec(text);return match?nn`<a href=${noteHash(match[1])}>${match[2]??match[1]}</a>`:
text}function valueOf2(written2,type){let text=written2.trim();return text?type==="boolean"?text==="true":type==="list"?
text.split(",").map(item=>item.trim()).filter(Boolean):type!=="string"&&/^-?\d+(\.\d+)?$/.test(text)?Number(text):text:null}function Panel(){return Nt(arriveAtView,[address.value.position]),shown3(route.value)}function shown3({view,name,list:list2,
at:at2,named:named3}){return view==="note"&&name&&at2?nn`<${NoteThen} name=${name} at=${at2} named=${named3} />`:view===
"note"&&name?nn`<${Note} key=${name} name=${name} />`:view==="tidy"||list2&&list2 in KINDS2&&view==="list"?nn`<${Tidy} list=${list2} />`:
view==="list"?nn`<${Lists} key=${list2} list=${list2} />`:view==="tag"&&list2?nn`<${Tag} key=${list2} tag=${list2} />`:view===
"base"&&name?nn`<${Base} key=${`${name} ${list2}`} base=${name} view=${list2??""} />`:view==="search"?nn`<${SearchResults} key=${list2} query=${list2??
""} />`:view==="history"?nn`<${History} key=${name??list2} name=${name} number=${list2} />`:view==="review"?nn`<${Review} query=${list2} />`:
nn`<${Home} />`}function Passkeys(){let{data,error,again}=useLoad(api.passkeys,[]),[adding,setAdding]=ot(!1),[done,setDone]=ot(""),status=useElement(
HTMLParagraphElement),canAdd=data?.can_add&&CAN_USE_PASSKEYS;if(!error&&!data?.passkeys.length&&!canAdd)return null;let end=(sentence="")=>{
setAdding(!1),setDone(sentence),status.current.focus()},onDone=sentence=>{end(sentence),again()};return nn`<section aria-labelledby="passkeys">
    <h3 id="passkeys">Passkeys</h3>
    <p class="quiet">With a passkey, you sign in without your password: your device asks for your finger, your face or a
      PIN. It opens all vaults of this server that you may use.</p>
    <${ErrorMessage} error=${error} again=${again} />
    <ul class="sign-ins">
      ${data?.passkeys.map(one=>nn`<${Row3} key=${one.id} one=${one} onDone=${onDone} />`)}
    </ul>
    ${adding&&nn`<${Form} onDone=${onDone} onCancel=${()=>end()} />`}
    <p role="status" ref=${status} tabindex="-1">${done}</p>
    ${canAdd&&!adding&&nn`<button type="button" onClick=${()=>setAdding(!0)}>Add a passkey</button>`}
  </section>`}function Row3({one,onDone}){let{act,busy,error}=useAction(async()=>{await api.removePasskey(one.id),onDone(
`Removed: ${one.name}.`)});return nn`<li>
    <div>
      <strong>${one.name}</strong>
      <p class="quiet">added <${When} time=${one.created} />, ${one.used?nn`last used <${When} time=${one.used} />`:"not used yet"}</p>
      <${ErrorMessage} error=${error} />
    </div>
    <button type="button" class="danger" disabled=${busy} aria-label=${`Remove ${one.name}`}
      onClick=${act}>Remove</button>
  </li>`}function Form({onDone,onCancel}){let name=useElement(HTMLInputElement),password=useElement(HTMLInputElement);Nt(
()=>name.current.select(),[]);let{act,busy,error}=useAction(async()=>{let added=await addPasskey(name.current.value,password.
current.value);onDone(`Added: ${added}.`)});return nn`<form class="add-passkey" onSubmit=${act}>
    <label>Name of the passkey <input ref=${name} value=${navigator.platform||"Passkey"} maxlength="60" required
      autocomplete="off" /></label>
    <label>Your password <input ref=${password} type="password" required autocomplete="current-password" /></label>
    <${ErrorMessage} error=${error} />
    <div class="actions">
      <button type="button" class="plain" onClick=${onCancel}>Cancel</button>
      <button type="submit" class="primary" disabled=${busy}>Add</button>
    </div>
  </form>`}var close2=()=>signInsShown.value=!1,SignIns=()=>signInsShown.value&&nn`<${SignInsDialog} />`;function SignInsDialog(){let{
data,error,again}=useLoad(api.signIns,[]),[ended,setEnded]=ot(""),button=useElement(HTMLButtonElement),onEnded=name=>{setEnded(
name),button.current.focus(),again()};return nn`<${Dialog} title="Your sign-ins" onClose=${close2} wide>
    <p class="quiet">These have access to this vault in your name. If you end one, its client must sign in again.</p>
    <${ErrorMessage} error=${error} again=${again} />
    ${!data&&!error&&nn`<${Waiting} />`}
    <ul class="sign-ins">
      ${data?.sign_ins.map(one=>nn`<${Row4} key=${one.name} one=${one} onEnded=${onEnded} />`)}
    </ul>
    <p role="status">${ended&&`Ended: ${ended}.`}</p>
    <${Passkeys} />
    <p class="quiet">The person who runs the server sees everybody’s with <code>zkmem token list</code>.</p>
    <div class="actions"><button type="button" class="primary" ref=${button} data-first
      onClick=${close2}>Close</button></div>
  <//>`}function Row4({one,onEnded}){let{act,busy,error}=useAction(async()=>{await api.endSignIn(one.name),onEnded(one.name)}),
what=one.read_only?"reads":"reads and writes";return nn`<li>
    <div>
      <strong>${one.client}</strong>${one.place&&`, ${one.place}`}${one.is_current&&" (you are using this one)"}
      <p>${what} ${one.folder?nn`the notes below <em>${one.folder}/</em>`:"the whole vault"}</p>
      <p class="quiet">${one.name}: signed in <${When} time=${one.created} />, ${one.used?nn`last used <${When} time=${one.
used} />`:"not used yet"}, ends <${When} time=${one.expires} /></p>
      <${ErrorMessage} error=${error} />
    </div>
    ${!one.is_current&&nn`<button type="button" class="danger" disabled=${busy} aria-label=${`End ${one.name}`}
        onClick=${act}>End</button>`}
  </li>`}var SHOWN=3e4,VERBS={merged:"merged another note into",extracted:"took a passage out of",created:"created",changed:"changed",renamed:"renamed",deleted:"deleted",restored:"restored"};function Strip(){let[deed,setDeed]=ot(null),look=async()=>{
let review=await api.review(null,1).catch(()=>null);return review&&(unseen.value=review.unseen),review};return ut(()=>{route.
peek().view&&look()},[]),useChanges(async names=>{let review=await look(),next=review?.sittings[0]&&!isOwn(changed.peek().
by??"")&&await deedOf(review.sittings[0],names);next&&setDeed(next)}),ut(()=>{if(!deed)return;let timer=setTimeout(()=>setDeed(
null),SHOWN);return()=>clearTimeout(timer)},[deed]),nn`<div class="strip" role="status" hidden=${!deed}>${deed&&nn`<${Shown3} ...${deed} />`}</div>`}
function Shown3({client,name,outcome,from,more}){return nn`<p style=${{"--hue":hueOf(client)}}>
    <i class="dot" aria-hidden="true"></i><strong>${client}</strong> ${VERBS[outcome]}${" "}
    ${outcome==="deleted"?nn`<em>${name}</em>`:nn`<a href=${noteHash(name)}>${name}</a>`}
    ${from&&nn`, linked from <a href=${noteHash(from)}>${from}</a>`}
    ${more>0&&nn` and <a href="#/review">${more} more</a>`}
  </p>`}async function deedOf({client,own,undone,notes},names){let now2=notes.filter(note2=>note2.outcome in VERBS&&(!names||
names.includes(note2.name)));if(own||undone||!client||!now2.length)return null;let[{name,outcome}]=now2.slice(-1),from=(outcome===
"created"?await api.note(name).catch(()=>null):null)?.backlinks.find(other=>other!==name)??null;return{client,name,outcome,
from,more:now2.length-1}}function Toasts(){let{names,by,at:at2}=changed.value,who=by&&!isOwn(by)?`${by} changed`:"Changed:";return nn`<div class="unseen" role="log" aria-live="polite" id="changes">
      ${at2>0&&nn`<p key=${at2}>${who} ${listed(names)}</p>`}
    </div>
    <div class="toasts" aria-live="polite" aria-label="Messages" role="region">
      <${TokenWanted} />
      ${toasts.value.map(({id,message,kind})=>nn`<div class=${`toast ${kind}`} key=${id} role=${kind==="error"?"alert":void 0}>
        <span>${directionless(message)}</span>
        <button type="button" aria-label="Close this message" onClick=${()=>dismiss(id)}>×</button>
      </div>`)}
    </div>`}function listed(names){return names===null?"many notes":names.slice(0,3).map(isolated).join(", ")+(names.length>
3?` and ${names.length-3} more`:"")}var MINUTE_MS=6e4;function App(){return nn`<a class="skip" href="#panel" onClick=${toPanel2}>To the notes</a>
    <div class=${`parts show-${tab.value}`}>
      <div class="left"><${Bar} /><${Tabs} /><${Folders} /></div>
      <div class="right">
        <${Strip} />
        <div id="panel" tabindex="-1">
          <main>${isBegun()?nn`<${Panel} />`:nn`<${Waiting} what="the notes of the vault" />`}</main>
          <div class="aside" role=${tab.value==="graph"?"main":"complementary"}
            aria-label=${tab.value==="graph"?"Map":"Beside the note"}>
            <section id="graph" aria-label="Map">${vault.value&&nn`<${MapView} />`}</section>
            <${Side2} />
          </div>
        </div>
      </div>
    </div>
    <${Toasts} /><${SignIn} /><${SignInAgain} /><${SignIns} /><${Help} />
    <${Commands} /><${Palette} /><${NewNote} /><${UndoLast} /><${HoverCard} />`}var isBegun=()=>vault.value!==null||!(tokenQuestion.
value||isSignInNeeded.value);function toPanel2(event){event.preventDefault(),tab.value="panel",document.getElementById("panel")?.focus()}function onKey(event){if(event.key==="Escape"&&tab.peek()==="panel"||event.defaultPrevented||event.ctrlKey||
event.metaKey||event.altKey||event.isComposing)return;let isInTool=event.target instanceof Element&&event.target.closest(
".controls");if(belongsToField(event)&&!(event.key==="Escape"&&isInTool))return;let keys2={"/":()=>document.getElementById(
"search")?.focus(),"?":()=>helpShown.value=!0,g:toggleMap,Escape:()=>closeTool()||(tab.value="panel")};keys2[event.key]&&
(event.preventDefault(),keys2[event.key]())}function closeTool(){let tool=document.querySelector(".controls[open]");return tool instanceof
HTMLDetailsElement?(tool.querySelector("summary")?.focus(),tool.open=!1,!0):!1}function titleParts({view,name,list:list2,
at:at2},vaultName){let kind={history:"History",review:"Review",tidy:"Tidy",search:`Search: ${list2}`,list:LISTS[list2??""]?.
title}[view];return[name,at2&&"As it was",kind,vaultName,"zkmem"].filter(Boolean).map(part=>isolated(String(part)))}async function start(){
Tt(nn`<${App} />`,document.body),addEventListener("keydown",onKey);let{name}=vault.value=await api.vault();A(()=>{document.
title=titleParts(route.value,name).join(" – ")}),setInterval(()=>now.value=Date.now(),MINUTE_MS),followProposed(),followEvents()}
start().catch(showError);addEventListener("load",()=>{let version=fileOf(".").split("/").at(-2);navigator.serviceWorker?.
register(`serviceworker.js?${version}`).catch(()=>{})});export{ot,ut,Nt,ft,Et,L,A,nn,statusOf,fileOf,vault,changed,route,address,confirmLeave,tab,themeChanges,colourBy,labels,showMissing,
folder,tag,writer,days,leaveOut,until,sizeBy,sizeScale,pathEnds,path,hiddenGroups,around,noteNames,about,stage,picture,layout,
graphEtag,folderSlots,facts,noteToShow,style,request,api,TURN,savedPositions,savePositions,savedSlots,saveSlots,isolated,
headingKey,headingAt,noteHash,open2 as open,go,decoded,numberOf,useChanges,ErrorMessage,Lines,usePreview,Preview,useAction,
useElement,throttled,toast,showError,parted,NameField,still,inOneColumn,byFinger,repaint,hueOf,toggleMap,useActions,Dialog,
Question,failed2 as failed,OutdatedSentences,useDropped};
